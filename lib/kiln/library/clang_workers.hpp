// libkiln-clang.so in processes of its own: what crashes, hangs or grows there is an error of one compile here.
#pragma once

#include <span>
#include <string>

#include "clang/interface.h"

namespace kiln::backend::cpu {

/// The functions of the first module among these that is there, each call made in a process that compiles one thing at a time
/// and is kept for the next. Null where none can be started, with the reason; DeviceError where one ends at once. Once a
/// process; thread-safe, and usable after a fork.
const kiln_clang_api* clang_in_workers(std::span<const std::string> modules, std::string& why_not);

}  // namespace kiln::backend::cpu

// libkiln-clang.so: found at the first compile, and opened by processes of its own, or by this one where there are none.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "clang/interface.h"

namespace kiln::backend::cpu {

/// Where the module is looked for, in order: KILN_CLANG alone where it is set; else beside the library that this code is in, in
/// the lib folder beside that one's (for programs), and where `cmake --install` puts it.
std::vector<std::string> clang_module_candidates();

/// KILN_CLANG=none: kernels come from caches alone.
bool clang_is_taken_away();

/// Opens the first that can be opened. NoCompiler names every path tried; of a module of another
/// version, both files and their versions.
const kiln_clang_api& open_clang_module(std::span<const std::string> candidates);

/// The module of clang_module_candidates(), in workers (clang_workers.hpp); opened here where none can be started, which is a
/// line of the log. Once a process. Thread-safe; a failure is tried again at the next call. NoCompiler
/// as well where it is taken away.
const kiln_clang_api& clang_module();

/// Of a result whose status is KILN_CLANG_CRASHED or one behind it: what happened, and what can be done.
std::string why_ended(const kiln_clang_result& result, std::chrono::milliseconds time_limit = {});

/// Clang's version, "19.1.7", as the build found it. Opens nothing.
const char* clang_version();
/// With the number of the interface, "19.1.7+47": what decides the code of a kernel.
std::string clang_module_version();

}  // namespace kiln::backend::cpu

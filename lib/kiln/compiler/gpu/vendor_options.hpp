// How NVRTC and hipRTC are asked to compile, and what they print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/compiler.hpp"

namespace kiln::backend::gpu {

/// The options of one compile, in order. `version` is the compiler's, major * 100 + minor. Pure.
[[nodiscard]] std::vector<std::string> vendor_options(DeviceKind kind, const CompileRequest& request, std::string_view arch,
                                                      int version);
/// The log of that vendor's compiler as values. Pure.
[[nodiscard]] std::vector<Diagnostic> vendor_diagnostics(DeviceKind kind, std::string_view log);

}  // namespace kiln::backend::gpu

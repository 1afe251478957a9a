// What each backend tells of its compilers: kiln::compilers().
#pragma once

#include <vector>

#include "kiln/compilers.hpp"

namespace kiln::backend {

namespace cpu {
/// Clang, as it compiles for CPUs; not there where it cannot be opened.
[[nodiscard]] CompilerInfo clang_info();
}  // namespace cpu

namespace gpu {
/// The vendor's compiler, then Clang, which has `clang` for CPUs.
[[nodiscard]] std::vector<CompilerInfo> compilers(DeviceKind kind, const CompilerInfo& clang);
}  // namespace gpu

}  // namespace kiln::backend

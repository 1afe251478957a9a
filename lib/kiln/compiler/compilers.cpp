#include "compiler/compilers.hpp"

#include <algorithm>
#include <iterator>

#include "base/have_cpu.hpp"

namespace kiln {
namespace backend {
namespace {

CompilerInfo clang() {
#if KILN_HAVE_CPU
  return cpu::clang_info();
#else
  return {.name = "Clang", .reason = "this build of kiln has none: it was configured with KILN_CPU=OFF"};
#endif
}

}  // namespace
}  // namespace backend

std::vector<CompilerInfo> compilers() {
  std::vector<CompilerInfo> all{backend::clang()};
  const CompilerInfo clang = all.front();
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::hip}) {
    std::ranges::move(backend::gpu::compilers(kind, clang), std::back_inserter(all));
  }
  return all;
}

}  // namespace kiln

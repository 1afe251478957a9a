#include "compiler/compilers.hpp"

#include <algorithm>
#include <iterator>

#include "base/have_cpu.hpp"
#if KILN_HAVE_CPU
#include "compiler/cpu/target.hpp"
#endif
#include "kiln/error.hpp"

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

#if KILN_HAVE_CPU
std::string cpu_target() {
  return backend::cpu::device_target().text;
}

void set_cpu_target(const std::string& name) {
  backend::cpu::set_device_target(name);
}

std::string common_cpu_target(const std::vector<std::string>& targets) {
  std::string common = backend::cpu::common_target(targets);
  if (common.empty()) throw DeviceError("no CPU target runs on all of these: one of them is no target, or the list is empty");
  return common;
}
#else
namespace {

[[noreturn]] void fail_without_cpu() {
  throw DeviceError("this build of kiln has no CPU device: it was configured with KILN_CPU=OFF");
}

}  // namespace

std::string cpu_target() {
  fail_without_cpu();
}

void set_cpu_target(const std::string&) {
  fail_without_cpu();
}

std::string common_cpu_target(const std::vector<std::string>&) {
  fail_without_cpu();
}
#endif

}  // namespace kiln

// Finds the backend of a device and the compiler of a target. Backends are never destroyed: kernels may run until the process
// is gone.
#include "backend/backend.hpp"

#include <stdexcept>

#include "base/have_cpu.hpp"

namespace kiln::backend {

#if !KILN_HAVE_CPU
namespace cpu {
Backend& open(int) {
  throw DeviceError("this build of kiln has no CPU backend (it was configured with KILN_CPU=OFF); use a GPU device");
}
std::shared_ptr<const Compiler> compiler_for_target(std::string_view) {
  return nullptr;
}
}  // namespace cpu
#endif

// NOLINTNEXTLINE(performance-unnecessary-value-param): a CPU's queue takes it over.
void Queue::run(std::function<void()> /*work*/) {
  throw std::logic_error("a GPU's queue runs kernels and copies: it takes no function");
}

std::shared_ptr<FftPlan> Backend::make_fft(const FftLayout& /*layout*/) {
  throw std::logic_error("a CPU's backend has no library for FFTs: lib/fft has");
}

bool cpu::is_built_in() noexcept {
  return KILN_HAVE_CPU;
}

std::vector<Diagnostic> of_severity(std::vector<Diagnostic> diagnostics, Severity severity) {
  std::erase_if(diagnostics, [&](const Diagnostic& each) { return each.severity != severity; });
  return diagnostics;
}

std::string Compiler::device_code(const CompileRequest& request, DeviceCodeForm form) const {
  const char* const wanted = form == DeviceCodeForm::lto_ir    ? "LTO-IR"
                             : form == DeviceCodeForm::ptx     ? "PTX"
                             : form == DeviceCodeForm::bitcode ? "bitcode"
                                                               : "an object";
  throw TypeError(name() + " makes no device function of \"" + request.name + "\" for " + short_target() + " as " + wanted +
                  ": leave .form out for the form that it does make");
}

std::string Compiler::emit(const CompileRequest& request, inspect::Form) const {
  throw TypeError(name() + " gives no intermediate form of \"" + request.name + '"');
}

std::optional<std::int64_t> Compiler::spills(const CompileRequest&) const {
  return std::nullopt;
}

std::string Compiler::why_scalar(const CompileRequest&) const {
  return {};
}

Backend& backend_for(const Device& device) {
  watch_forks();
  if (device.is_cpu()) return cpu::open(device.index());
  if (forked()) {
    throw DeviceError("cannot use " + to_string(device) +
                      " in a process forked from one that used kiln: GPU contexts do not survive fork(); "
                      "start the process anew (exec) or use the CPU");
  }
  return gpu::open(device.kind(), device.index(), device.is_emulated());
}

Backend* opened_backend(const Device& device) noexcept {
  return device.is_cpu() || forked() ? nullptr : gpu::opened(device.kind(), device.index(), device.is_emulated());
}

std::shared_ptr<const Compiler> compiler_of_key(std::string_view target, std::string_view compiler) {
  if (auto found = gpu::compiler_of_key(target, compiler)) return found;
  return compiler_for(target);
}

std::shared_ptr<const Compiler> compiler_for(std::string_view target) {
  if (auto compiler = gpu::compiler_for_target(target)) return compiler;
  if (auto compiler = cpu::compiler_for_target(target)) return compiler;
  throw DeviceError("unknown target \"" + std::string(target) +
                    "\"; targets are sm_NN (NVIDIA: sm_75, sm_80, sm_90, …), gfxNNN (AMD: gfx906, gfx90a, gfx1030, …)" +
                    (KILN_HAVE_CPU ? ", and native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4" : ""));
}

}  // namespace kiln::backend

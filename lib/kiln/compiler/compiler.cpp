// What compilers share, and the choice of one by the name of a target.
#include "compiler/compiler.hpp"

#include "base/have_cpu.hpp"
#include "kiln/error.hpp"

#if KILN_HAVE_CPU
#include "compiler/cpu/compiler.hpp"
#endif

namespace kiln::backend {

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

#if !KILN_HAVE_CPU
namespace cpu {
namespace {

std::shared_ptr<const Compiler> compiler_for_target(std::string_view) {
  return nullptr;
}

}  // namespace
}  // namespace cpu
#endif

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

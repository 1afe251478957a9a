// Clang as a kiln compiler: C++ text to an ELF object, relocatable or shared, in memory.
#pragma once

#include "compiler/clang.hpp"
#include "compiler/compiler.hpp"
#include "compiler/cpu/target.hpp"

namespace kiln::backend::cpu {

class ClangCompiler : public Compiler {
 public:
  explicit ClangCompiler(Target target);

  [[nodiscard]] std::string name() const override { return "Clang"; }
  /// Clang's version, and what of kiln's own steps after it (the link) can change the code.
  [[nodiscard]] std::string version() const override;
  [[nodiscard]] std::string target() const override { return target_.text; }
  [[nodiscard]] std::string short_target() const override { return target_.short_name; }
  [[nodiscard]] std::vector<std::string> options(const CompileRequest& request) const override;
  /// Also a CompileError: a function that is called and nowhere defined. Compiles of several threads run in parallel.
  [[nodiscard]] CompileResult compile(const CompileRequest& request) const override;
  [[nodiscard]] DeviceKind kind() const override { return DeviceKind::cpu; }
  /// Bitcode, or an object.
  [[nodiscard]] std::string device_code(const CompileRequest& request, DeviceCodeForm form) const override;
  /// LLVM's intermediate language, after all its passes.
  [[nodiscard]] std::string emit(const CompileRequest& request, inspect::Form form) const override;

 private:
  [[nodiscard]] CompileResult run(const CompileRequest& request, ClangOutput output) const;

  Target target_;
};

/// The compiler for this machine, and the one for kernels of the CPU device, which device_target() chooses; one for the process
/// each.
const std::shared_ptr<const Compiler>& native_compiler();
const std::shared_ptr<const Compiler>& device_compiler();

/// For "native", "x86-64-v3", …; null for what is no CPU's name.
std::shared_ptr<const Compiler> compiler_for_target(std::string_view target);

}  // namespace kiln::backend::cpu

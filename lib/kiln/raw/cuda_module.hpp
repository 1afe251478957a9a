// What a RawModule handle points to: a source in CUDA's language, and its kernels as raw kernels.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/cupy_raw.hpp"
#include "raw/cuda_definition.hpp"
#include "raw/module_constants.hpp"
#include "source/cuda_kernels.hpp"

namespace kiln::cupy::detail {

class RawModuleImpl {
 public:
  /// Throws what raw_kernel() and raw_module() do; `name` is shown in messages.
  RawModuleImpl(const std::string& name, raw::CudaDefinition definition);

  /// Returns the definition as it is written: its options stand among those of the compile.
  [[nodiscard]] const raw::CudaDefinition& definition() const noexcept { return *definition_; }
  [[nodiscard]] const codegen::CudaSource& source() const noexcept { return source_; }
  [[nodiscard]] Constant constant(std::string_view name) const;
  /// Returns the kernel that a name, or a name with template arguments, means. Throws TypeError.
  [[nodiscard]] const codegen::CudaKernel& find(std::string_view expression) const;
  [[nodiscard]] Function function(std::string_view expression) const;
  /// Throws CompileError for a variable that kernels of the module would have to share.
  void check_variables() const;

 private:
  std::string name_;
  std::shared_ptr<const raw::CudaDefinition> definition_;
  codegen::CudaSource source_;
  std::shared_ptr<raw::ModuleConstants> values_;
};

/// Returns the variable of that name among those whose values the host gives. Throws TypeError, which begins with `what`.
[[nodiscard]] Constant constant_of(const std::string& what, std::string_view name,
                                   const std::shared_ptr<raw::ModuleConstants>& values);

/// Returns the module that a definition means; with a name it is of one kernel. Throws what raw_kernel() and raw_module() do.
[[nodiscard]] std::shared_ptr<const RawModuleImpl> make_module(raw::CudaDefinition definition);

}  // namespace kiln::cupy::detail

// What is asked of every kind of kernel, for the elementwise one.
#include <algorithm>

#include "kinds/kernel_text.hpp"

namespace kiln::kinds {

using codegen::UserText;

std::size_t arguments_of(const ElementwiseSpec& spec) {
  return spec.masking == Masking::none ? spec.inputs.size() : spec.arguments;
}

Operation operation_of(const ElementwiseSpec& spec) {
  Operation operation;
  for (std::size_t i = 0; i < arguments_of(spec); ++i) operation.inputs.push_back(spec.inputs[i].compute);
  for (const OperandSpec& operand : spec.outputs) operation.outputs.push_back(operand.compute);
  return operation;
}

std::vector<DType> storage_of(const ElementwiseSpec& spec) {
  std::vector<DType> dtypes;
  for (const auto* operands : {&spec.inputs, &spec.outputs}) {
    for (const OperandSpec& operand : *operands) dtypes.push_back(operand.storage);
  }
  return dtypes;
}

bool needs_nd(const ElementwiseSpec& spec) {
  const auto strided = [](const OperandSpec& operand) { return operand.access == Access::strided; };
  return spec.rank > 1 || std::any_of(spec.inputs.begin(), spec.inputs.end(), strided) ||
         std::any_of(spec.outputs.begin(), spec.outputs.end(), strided);
}

std::string loop_header(const ElementwiseSpec& spec, DeviceKind target) {
  if (target == DeviceKind::cpu) return "kiln/elementwise/cpu.hpp";
  return needs_nd(spec) ? "kiln/elementwise/gpu_nd.hpp" : "kiln/elementwise/gpu.hpp";
}

std::string kernel_text(const ElementwiseSpec& spec, const UserText& text, DeviceKind target) {
  if (target != DeviceKind::cpu) return gpu_kernel(spec, text.debug);
  return text.debug.any() ? checked_cpu_kernel(spec, text.debug) : cpu_kernel(spec);
}

}  // namespace kiln::kinds

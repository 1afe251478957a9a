// What is asked of every kind of kernel, for reductions.
#include "kernel/reduction/text.hpp"

namespace kiln::kinds {

using codegen::UserText;

Operation operation_of(const ReductionSpec& spec) {
  if (spec.stages) {
    Operation operation;
    for (const OperandSpec& input : spec.inputs) operation.inputs.push_back(input.compute);
    for (const OperandSpec& output : spec.outputs) operation.outputs.push_back(output.compute);
    return operation;
  }
  // The body combines two accumulators, and halves among them are not rounded in between.
  const DType dtype = spec.inputs.front().compute;
  return {.inputs = {dtype, dtype}, .outputs = {dtype}, .rounds = false};
}

std::vector<DType> storage_of(const ReductionSpec& spec) {
  std::vector<DType> dtypes;
  for (const auto* operands : {&spec.inputs, &spec.outputs}) {
    for (const OperandSpec& operand : *operands) dtypes.push_back(operand.storage);
  }
  return dtypes;
}

std::string loop_header(const ReductionSpec& spec, DeviceKind target) {
  if (target == DeviceKind::cpu) return spec.part ? "kiln/reduction/balanced_cpu.hpp" : "kiln/reduction/cpu.hpp";
  if (spec.part) return "kiln/reduction/balanced_gpu.hpp";
  return spec.segmented ? "kiln/reduction/segments_gpu.hpp" : "kiln/reduction/gpu.hpp";
}

std::string kernel_text(const ReductionSpec& spec, const UserText& text, DeviceKind target) {
  if (target == DeviceKind::cpu) return reduction_cpu(spec, text);
  return spec.segmented ? segments_gpu(spec, text) : reduction_gpu(spec, text);
}

}  // namespace kiln::kinds

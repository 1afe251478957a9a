// What is asked of every kind of kernel, for generalized ufuncs.
#include <algorithm>

#include "base/table.hpp"
#include "device/kernel_abi.hpp"
#include "kernel/gufunc/operands_text.hpp"
#include "kernel/gufunc/staged.hpp"
#include "kernel/gufunc/text.hpp"

namespace kiln::kinds {

using codegen::UserText;

Operation operation_of(const GufuncSpec& spec) {
  Operation operation;
  for (const CoreOperandSpec& operand : spec.inputs) operation.inputs.push_back(operand.element.compute);
  for (const CoreOperandSpec& operand : spec.outputs) operation.outputs.push_back(operand.element.compute);
  return operation;
}

std::vector<DType> storage_of(const GufuncSpec& spec) {
  std::vector<DType> dtypes;
  for (const CoreOperandSpec* operand : operands_of(spec)) dtypes.push_back(operand->element.storage);
  return dtypes;
}

std::string loop_header(const GufuncSpec& spec, DeviceKind target) {
  if (spec.team > 0) return target == DeviceKind::cpu ? "kiln/gufunc/team_cpu.hpp" : "kiln/gufunc/team_gpu.hpp";
  if (target == DeviceKind::cpu) return "kiln/gufunc/cpu.hpp";
  if (has_windows(spec)) return "kiln/gufunc/windows_gpu.hpp";
  return is_staged(spec) ? "kiln/gufunc/staged_gpu.hpp" : "kiln/gufunc/gpu.hpp";
}

std::uint64_t GufuncSpec::hash() const noexcept {
  base::KeyHash hash;
  for (const auto* operands : {&inputs, &outputs}) {
    for (const CoreOperandSpec& operand : *operands) {
      hash.add(static_cast<std::uint64_t>(operand.element.storage) << 32 | static_cast<std::uint64_t>(operand.packed) << 24 |
               static_cast<std::uint64_t>(operand.step) << 16 | static_cast<std::uint8_t>(operand.unit));
    }
  }
  for (const CoreDimensionSpec& dimension : dimensions) hash.add(static_cast<std::uint64_t>(dimension.size.value_or(-1)));
  return hash.add(static_cast<std::uint64_t>(tile_bytes))
      .add(static_cast<std::uint64_t>(team))
      .add(static_cast<std::uint64_t>(declared_bytes))
      .add(static_cast<std::uint64_t>(own_block))
      .value();
}

int teams_of_block(const GufuncSpec& spec, DeviceKind target) noexcept {
  constexpr int kWarp = 32;
  constexpr int kMostBytes = 8192;  // of a block: an eighth of the least that a multiprocessor has
  if (target != DeviceKind::cuda || spec.team != kWarp || spec.own_block) return 1;
  return std::clamp(kMostBytes / std::max(spec.team_bytes, 1), 1, static_cast<int>(backend::kGpuBlock) / kWarp);
}

std::string kernel_text(const GufuncSpec& spec, const UserText& text, DeviceKind target) {
  if (target != DeviceKind::cpu) return gufunc_members(spec, text, "KILN_FN") + gufunc_gpu(spec, text.debug, target);
  // What one thread of a team wrote, others read.
  if (spec.team > 0) return gufunc_members(spec, text, "KILN_FN", "") + gufunc_cpu(spec);
  // A function of its own until its operands are pointers of which none is part of another's array: in the loop over the items
  // nothing would tell that, and each item would look at where they lie before its vectors.
  const bool apart = spec.each.empty();
  return gufunc_members(spec, text, apart ? "KILN_ROWS static" : "KILN_FN") + gufunc_cpu(spec);
}

}  // namespace kiln::kinds

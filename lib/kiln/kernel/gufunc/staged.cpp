#include "kernel/gufunc/staged.hpp"

#include <algorithm>

#include "device/kernel_abi.hpp"
#include "kernel/gufunc/operands_text.hpp"
#include "kernels-src/gufunc/abi.hpp"

namespace kiln::kinds {

bool is_staged(const GufuncSpec& spec) noexcept {
  const auto staged = [](const CoreOperandSpec& operand) {
    return operand.staging == Staging::item || operand.staging == Staging::common;
  };
  return std::ranges::any_of(spec.inputs, staged) || std::ranges::any_of(spec.outputs, staged);
}

bool has_windows(const GufuncSpec& spec) noexcept {
  return std::ranges::any_of(spec.inputs, [](const CoreOperandSpec& input) { return input.staging == Staging::window; });
}

int staged_cell(const GufuncSpec& spec) noexcept {
  constexpr int kBank = 4;
  constexpr int kWidest = 16;
  if (!spec.each.empty()) return kWidest;
  int cell = kBank;
  for (const CoreOperandSpec* operand : operands_of(spec)) {
    if (operand->staging != Staging::none) cell = std::max(cell, static_cast<int>(itemsize(operand->element.storage)));
  }
  return cell;
}

int staged_word(const GufuncSpec& spec, const CoreOperandSpec& operand) noexcept {
  constexpr int kBank = 4;
  return spec.each.empty() ? std::max(kBank, static_cast<int>(itemsize(operand.element.storage))) : staged_cell(spec);
}

StagedBytes staged_bytes_of(const GufuncSpec& spec, std::span<const std::int64_t> sizes) {
  const auto cell = static_cast<std::uint32_t>(staged_cell(spec));
  StagedBytes bytes;
  for (const CoreOperandSpec* operand : operands_of(spec)) {
    if (operand->staging == Staging::none) continue;
    const auto core = static_cast<std::uint32_t>(core_bytes_of(*operand, sizes));
    (operand->staging == Staging::item ? bytes.item : bytes.common) += staged_bytes(core, cell);
  }
  if (spec.each.empty()) bytes.item = staged_pitch(static_cast<std::uint32_t>(bytes.item), cell);
  return bytes;
}

std::int64_t core_bytes_of(const CoreOperandSpec& operand, std::span<const std::int64_t> sizes) {
  auto bytes = static_cast<std::int64_t>(itemsize(operand.element.storage));
  for (const std::size_t dimension : operand.dimensions) bytes *= sizes[dimension];
  return bytes;
}

}  // namespace kiln::kinds

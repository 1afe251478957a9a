// Items of few elements: whether a CPU computes several at once, and how it gets at them.
#include <algorithm>
#include <iterator>

#include "gufunc/call.hpp"
#include "gufunc/tuning.hpp"
#include "kinds/gufunc/items_text.hpp"
#include "kinds/gufunc/operands_text.hpp"

namespace kiln::gufunc {
namespace {

/// Whether a kernel that knows the stride reads several items at once that do not lie one behind the other.
bool tiny_apart(std::int64_t elements, std::int64_t stride, std::int64_t size) {
  if (stride == 0) return elements <= tuning::kTinyCore;
  if (stride > tuning::kMostBytesApart) return false;
  return std::any_of(std::begin(tuning::kTinyStrides), std::end(tuning::kTinyStrides),
                     [&](std::int64_t known) { return stride == known * size; });
}

/// Whether items one behind the other are so long that the compiler has no shuffles for them, and gathers elements.
bool is_gathered(DType dtype, std::int64_t elements) {
  if (dtype == DType::complex64) return elements > tuning::kMostOfComplex64;
  if (dtype == DType::complex128) return elements > tuning::kMostOfComplex128;
  return elements * static_cast<std::int64_t>(itemsize(dtype)) > tuning::kMostBytesOfItem;
}

/// Sizes of elements whose items are turned by loads, stores and shuffles of whole registers.
bool stages_size(std::int64_t size) {
  return size == 4 || size == 8;
}

/// Whether its items may be brought into a buffer, where they lie apart in another way.
bool may_stage(std::int64_t elements, std::int64_t stride, std::int64_t size) {
  // Registers are read whole: beyond an item there is the next one, or, where one is for all, nothing.
  constexpr std::int64_t kRegister = 16;
  return stages_size(size) && (stride != 0 || elements * size % kRegister == 0);
}

}  // namespace

/// Whether the body is vectors along the cores where it gets at each element: not in vectors of items side by side.
bool Call::goes_along(const CoreLayout& layout, const kinds::GufuncSpec& spec) const {
  if (!gufunc_.computes_along() || gufunc_.sees_memory() || !spec.each.empty()) return false;
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const kinds::CoreOperandSpec& operand = k < nin_ ? spec.inputs[k] : spec.outputs[k - nin_];
    const DType dtype = operand.element.storage;
    if (kind(dtype) == Kind::complex || !stages_size(static_cast<std::int64_t>(itemsize(dtype)))) return false;
    const bool across = layout.iteration.inner_stride(k) == static_cast<std::int64_t>(itemsize(dtype));
    if (across && kinds::core_elements(spec, operand) > 1) return false;
  }
  return true;
}

/// Elements of the largest core.
std::int64_t Call::largest_core() const {
  std::int64_t largest = 1;
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    std::int64_t elements = 1;
    for (const std::size_t dimension : gufunc_.layout().of(k)) elements *= shape_.sizes[dimension];
    largest = std::max(largest, elements);
  }
  return largest;
}

/// Whether items that lie apart are computed sooner in a buffer than one by one.
bool Call::pays_to_stage(DType dtype, bool along) const {
  if (itemsize(dtype) == 4 || gufunc_.is_dear(true)) return true;
  const bool is_short = largest_core() < kinds::kFewestAlong;
  return kind(dtype) == Kind::complex ? is_short || !gufunc_.computes_along() : along && !is_short;
}

/// Whether a CPU should compute several items at once: few elements each, in sizes that the kernel knows, one item behind the
/// other or, if it may know `strides`, so that they can be constants of it.
bool Call::many_tiny(const CoreLayout& layout, const kinds::GufuncSpec& spec, bool strides) const {
  if (spec.masked || spec.team > 0 || (spec.lanes && !spec.each.empty() && !spec.folded) || layout.iteration.rank() != 1 ||
      layout.iteration.size() == 1)
    return false;
  // Indices before the last two are units of their own (kernels-src/gufunc/abi.hpp), and here a unit is an item.
  if (spec.each.size() > 2) return false;
  const bool along = goes_along(layout, spec);
  const bool unrolls = !spec.lanes && turns() <= tuning::kMostUnrolled;
  bool staged = false;
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const kinds::CoreOperandSpec& operand = k < nin_ ? spec.inputs[k] : spec.outputs[k - nin_];
    if (std::any_of(operand.dimensions.begin(), operand.dimensions.end(),
                    [&](std::size_t dimension) { return !spec.dimensions[dimension].size; }))
      return false;
    const std::int64_t elements = kinds::core_elements(spec, operand);
    const auto size = static_cast<std::int64_t>(itemsize(operand.element.storage));
    const std::int64_t stride = layout.iteration.inner_stride(k);
    if (strides && stride == size && elements <= (unrolls ? tuning::kTinyCoreAcross : tuning::kTinyCore)) continue;
    const bool beside = stride == elements * size;
    if (elements > tuning::kTinyCore || !layout.cores[k].packed) return false;
    const DType dtype = operand.element.storage;
    if (beside && (along || !is_gathered(dtype, elements))) continue;
    if (!beside && k < nin_ && strides && tiny_apart(elements, stride, size)) continue;
    const bool complex = kind(dtype) == Kind::complex;
    if (spec.lanes || gufunc_.sees_memory() || !may_stage(elements, stride, size)) {
      if (beside && gufunc_.is_dear(complex)) continue;
      return false;
    }
    if (!pays_to_stage(dtype, along)) return false;
    staged = true;
  }
  return !staged || layout.iteration.size() >= tuning::kFewestStaged;
}

void Call::take_item_strides(const CoreLayout& layout, kinds::GufuncSpec& spec, bool strides) const {
  const bool along = goes_along(layout, spec);
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    kinds::CoreOperandSpec& operand = k < nin_ ? spec.inputs[k] : spec.outputs[k - nin_];
    const auto size = static_cast<std::int64_t>(itemsize(operand.element.storage));
    const std::int64_t stride = layout.iteration.inner_stride(k);
    const std::int64_t elements = kinds::core_elements(spec, operand);
    const bool stages = !gufunc_.sees_memory() && stages_size(size);
    const bool beside = stride == elements * size;
    if (beside && (along || !stages || !is_gathered(operand.element.storage, elements))) continue;
    const bool known = strides && !beside && (stride == size || (k < nin_ && tiny_apart(elements, stride, size)));
    operand.item_stride = known ? stride / size : kinds::kAnyStride;
  }
}

/// Where some operands are staged, or the body is vectors along cores, others are better so, too.
void Call::stage_all(const CoreLayout& layout, kinds::GufuncSpec& spec) const {
  const auto operand_of = [&](std::size_t k) -> kinds::CoreOperandSpec& {
    return k < nin_ ? spec.inputs[k] : spec.outputs[k - nin_];
  };
  const bool staged = kinds::is_staged(spec);
  if (goes_along(layout, spec) && largest_core() >= (staged ? kinds::kFewestAlong : tuning::kFewestAlongPacked)) {
    for (std::size_t k = 0; k < nin_ + nout_; ++k) {
      if (kinds::core_elements(spec, operand_of(k)) > 1) operand_of(k).item_stride = kinds::kAnyStride;
    }
    return;
  }
  if (!staged) return;
  // Vectors shuffled together from elements with gaps read beyond the last one: the compiler would leave the last of 16 items
  // to a loop over single ones.
  for (kinds::CoreOperandSpec& input : spec.inputs) {
    const auto size = static_cast<std::int64_t>(itemsize(input.element.storage));
    if (input.item_stride > 1 && stages_size(size)) input.item_stride = kinds::kAnyStride;
  }
}

}  // namespace kiln::gufunc

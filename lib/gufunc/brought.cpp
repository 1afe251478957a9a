// Whether a CPU brings items that lie side by side into a buffer.
#include <utility>
#include <vector>

#include "gufunc/call.hpp"
#include "gufunc/tuning.hpp"
#include "kinds/gufunc/items_text.hpp"
#include "kinds/gufunc/packed_text.hpp"

namespace kiln::gufunc {
namespace {

constexpr int kLine = 64;  // bytes

}  // namespace

/// How many at once; 0: none, since their cores lie in another way, find no room, or are worth more where they are. `row`:
/// indices of the last of .each, of those in a buffer.
int Call::brought_at_once(const CoreLayout& layout, const kinds::GufuncSpec& spec, std::int64_t row) const {
  if (spec.masked || gufunc_.group().teams || gufunc_.sees_memory() || !gufunc_.passes_over()) return 0;
  if (layout.iteration.rank() == 0 || layout.iteration.shape().back() < kinds::kMostItemsAtOnce) return 0;
  double moved = 0;     // elements from memory for each item anew
  double elements = 0;  // of these those that are brought
  double largest = 0;   // of a core
  double bytes = 0;
  bool all = true;
  bool narrow = true;
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const std::int64_t stride = layout.iteration.inner_stride(k);
    const kinds::CoreOperandSpec& operand = k < nin_ ? spec.inputs[k] : spec.outputs[k - nin_];
    double core = 1;
    for (const std::size_t dimension : operand.dimensions) core *= static_cast<double>(shape_.sizes[dimension]);
    if (k >= nin_ || stride != 0) moved += core;
    if (layout.cores[k].packed || (k < nin_ && stride == 0)) {
      all = all && !layout.cores[k].packed;
      continue;
    }
    const auto size = static_cast<std::int64_t>(itemsize(operand.element.storage));
    if (stride != size || (size != 4 && size != 8)) return 0;
    elements += core;
    largest = std::max(largest, core);
    narrow = narrow && size == 4;
    if (core * static_cast<double>(size) > static_cast<double>(kinds::kBytesBrought)) return 0;
    bytes += static_cast<double>(kinds::brought_step(static_cast<std::int64_t>(core) * size));
  }
  // A body that reads few of them had better read those, and one that reads them once may.
  if (elements > turns() * tuning::kMostBroughtOfTurn) return 0;
  const bool again = turns() > moved || gufunc_.is_dear(false);
  if (largest < tuning::kFewestBrought || (!again && (!narrow || largest < tuning::kFewestBroughtOnce))) return 0;
  int items = kinds::kMostItemsAtOnce;
  constexpr int kFewest = 4;
  while (items > kFewest && bytes * items + kLine > static_cast<double>(kinds::kBytesBrought)) items /= 2;
  if (bytes * items + kLine > static_cast<double>(kinds::kBytesBrought)) return 0;
  if (!kinds::takes_items(spec)) return items;
  // As vectors of items, nothing is brought: worth it only where rows are vectors, too, and read again and again.
  const bool wide = kinds::items_at_once(spec) < kinds::kMostItemsAtOnce;
  const bool whole =
      wide ? row > tuning::kMostOfWideRow || (!all && row % tuning::kWholeWideRow == 0) : row >= tuning::kFewestOfRow;
  const std::size_t half_line = (wide ? sizeof(double) : sizeof(float)) * static_cast<std::size_t>(items);
  return row > 0 && whole && half_line >= kLine / 2 && gufunc_.levels() > spec.each.size() ? items : 0;
}

void Call::bring(const CoreLayout& layout, kinds::GufuncSpec& spec) const {
  std::vector<kinds::EachSpec> each = spec.each;
  if (!each.empty() && !layout.cores[nin_].packed) {
    // In the buffer rows of the first output lie in one piece.
    Shape extents;
    for (const std::size_t dimension : gufunc_.layout().of(nin_)) extents.push_back(shape_.sizes[dimension]);
    each = each_in_order(detail::packed_strides(extents, 1, Order::c));
  }
  spec.brought = brought_at_once(layout, spec, each.empty() ? 0 : shape_.sizes[each.back().dimension]);
  if (spec.brought == 0) return;
  for (std::size_t i = 0; i < nin_; ++i) {
    if (layout.iteration.inner_stride(i) == 0) spec.inputs[i].item_stride = 0;
  }
  // However they lie: the kernel is one.
  for (auto* list : {&spec.inputs, &spec.outputs}) {
    for (kinds::CoreOperandSpec& operand : *list) operand.unit = kinds::is_brought(spec, operand) ? -1 : operand.unit;
  }
  if (each.empty()) return;
  spec.each = std::move(each);
  spec.folded = false;
  spec.lanes = takes_lanes(kinds::as_brought(spec));
}

}  // namespace kiln::gufunc

// Whether a CPU makes vectors of a body's indices, or of items.
#include <algorithm>

#include "gufunc/call.hpp"
#include "gufunc/tuning.hpp"
#include "kinds/gufunc/index_blocks.hpp"
#include "kinds/gufunc/items_text.hpp"

namespace kiln::gufunc {

/// Whether a CPU should compute several indices of the last of .each at once: operands of which there are vectors, and enough
/// indices. Of whole numbers the compiler makes vectors along loops, too: theirs lie side by side.
bool Call::takes_lanes(const kinds::GufuncSpec& spec) const {
  const bool whole = kinds::has_whole_numbers(spec);
  if (!gufunc_.suits_lanes(whole) || refuses_indices_ || plan_->refuses_indices.load(std::memory_order_relaxed)) return false;
  const std::size_t last = spec.each.back().dimension;
  if (shape_.sizes[last] < kinds::kFewestLanes) return false;
  const auto fits = [&](const kinds::CoreOperandSpec& operand) {
    if (!kinds::has_lanes(operand.element.compute)) return false;
    const bool along = std::find(operand.dimensions.begin(), operand.dimensions.end(), last) != operand.dimensions.end();
    return !whole || !along || (operand.unit >= 0 && operand.dimensions[static_cast<std::size_t>(operand.unit)] == last);
  };
  return std::all_of(spec.inputs.begin(), spec.inputs.end(), fits) &&
         std::all_of(spec.outputs.begin(), spec.outputs.end(), fits);
}

/// Whether indices of .each should be loops around the body, for items to be computed at once: where elements lie apart, or few
/// of them, too few along the last one to make vectors of. `lanes`: whether several indices at once are the other way.
bool Call::may_fold(const CoreLayout& layout, const kinds::GufuncSpec& spec, bool lanes) const {
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    if (!layout.cores[k].packed && layout.iteration.inner_stride(k) != 0) return true;
  }
  std::int64_t indices = 1;
  for (const kinds::EachSpec& each : spec.each) indices *= std::max<std::int64_t>(shape_.sizes[each.dimension], 1);
  return !lanes && indices <= tuning::kMostFolded && shape_.sizes[spec.each.back().dimension] % tuning::kFewestInVector != 0;
}

/// Of nested loops over all core dimensions, over the largest more than once where there are more loops.
double Call::turns() const {
  double turns = 1;
  double largest = 1;
  for (const std::int64_t size : shape_.sizes) {
    turns *= static_cast<double>(size);
    largest = std::max(largest, static_cast<double>(size));
  }
  for (std::size_t level = shape_.sizes.size(); level < gufunc_.levels(); ++level) turns *= largest;
  return turns;
}

/// Whether a CPU should compute several items at once as vectors: numbers that need no conversion, enough items behind each
/// other. Some operands' cores are turned: in one piece, and float32, enough of each, where all of it comes from a cache; or
/// beside operands whose items lie side by side.
bool Call::takes_items_at_once(const CoreLayout& layout, const kinds::GufuncSpec& spec) const {
  const bool whole = kinds::has_whole_numbers(spec);
  if (spec.masked || gufunc_.group().teams || !gufunc_.suits_items(whole) || refuses_items_ ||
      plan_->refuses_items.load(std::memory_order_relaxed)) {
    return false;
  }
  if (layout.iteration.shape().back() < kinds::kMostItemsAtOnce) return false;
  double elements = 0;  // of an item
  double across = 0;    // of them those that lie apart, items side by side
  double turned = 0;    // and those that lie one behind the other
  double results = 0;   // of these those of outputs
  double moved = 0;     // and from memory for each item anew
  bool narrow = true;
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const kinds::CoreOperandSpec& operand = k < nin_ ? spec.inputs[k] : spec.outputs[k - nin_];
    const DType dtype = operand.element.storage;
    if (operand.element.compute != dtype || !kinds::has_lanes(dtype)) return false;
    narrow = narrow && itemsize(dtype) == sizeof(float);
    double core = 1;
    for (const std::size_t dimension : operand.dimensions) core *= static_cast<double>(shape_.sizes[dimension]);
    elements += core;
    const std::int64_t stride = layout.iteration.inner_stride(k);
    if (k < nin_ && stride == 0) continue;
    const bool beside = stride == static_cast<std::int64_t>(itemsize(dtype));
    if (!layout.cores[k].packed && !beside) return false;
    if (!layout.cores[k].packed) {
      across += core;
      continue;
    }
    if (core > 1 || !beside) (k < nin_ ? turned : results) += core;
    moved += core;
  }
  turned += results;
  if (turned == 0) return false;  // vectors as they lie: lib/backend/cpu/clang/spmd/
  const double element = narrow ? sizeof(float) : sizeof(double);
  // Numbers have a vector of room, too.
  const double room = (turned + static_cast<double>(nin_ + nout_)) * element * kinds::items_at_once(spec);
  const bool again = turns() > moved;
  // One by one, each element of those across would be read from a line of its own.
  if (across > 0) {
    const bool few = results * 2 < across || elements > tuning::kFewestOfWideBeside;
    // Along rows of whole numbers that lie in one piece the compiler makes vectors itself: matrices of 32 × 32 times vectors,
    // the results alone side by side, 115 ns one by one and 290 at once; running sums of 64 36 and 11.
    const bool beside = !whole || turned <= across * tuning::kMostTurnedBeside;
    const bool pays = again || (turned <= across && few) || (narrow && beside);
    return elements > tuning::kFewestOfItem && pays && room <= static_cast<double>(kinds::kBytesBeside);
  }
  const bool pays = narrow || again || (results * 4 < turned && elements >= tuning::kFewestOfWideItem);
  // Of whole numbers the compiler adds up along a core in any order. One thread, int32, nanoseconds of an item one by one and
  // at once: inner product of 64 5.7 and 8.7, running sum of 64 25.5 and 17.6, matrix product of 5 × 5 37 and 11, of 8 × 8 143
  // and 32, of 14 × 14 478 and 178.
  return pays && (!whole || again || results > 1) && gufunc_.suits_turning(whole) && elements >= tuning::kFewestOfItem &&
         room <= static_cast<double>(kinds::kBytesOfItems) &&
         (again || moved * element * static_cast<double>(layout.iteration.size()) <= tuning::kMostBytesOfItems);
}

}  // namespace kiln::gufunc

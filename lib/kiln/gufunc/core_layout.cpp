#include "gufunc/core_layout.hpp"

#include "layout/axes.hpp"

namespace kiln::gufunc {
namespace {

struct Loops {
  std::vector<Shape> shapes;
  std::vector<Strides> strides;
};

/// The operands as their loop axes alone, with a stride of 0 where one is broadcast.
layout::Iteration iterate(const CoreShape& shape, std::span<const PlacedCore> operands) {
  Loops loops;
  loops.shapes.reserve(operands.size());  // no growth below: addresses are taken
  loops.strides.reserve(operands.size());
  static const Shape none;
  std::vector<layout::Operand> all;
  for (const PlacedCore& operand : operands) {
    if (operand.axes == nullptr) {
      all.push_back({&none, &none, operand.itemsize});
      continue;
    }
    Strides& strides = loops.strides.emplace_back();
    for (const std::int64_t axis : operand.axes->loop) {
      strides.push_back(axis < 0 ? 0 : (*operand.strides)[static_cast<std::size_t>(axis)]);
    }
    all.push_back({&loops.shapes.emplace_back(shape.loop), &strides, operand.itemsize});
  }
  return {shape.loop, all};
}

/// Whether strides are those of packed elements, for dimensions in some order.
bool is_dense(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides, std::int64_t itemsize) {
  layout::Axes axes(extents.size(), 1);
  for (std::size_t a = 0; a < extents.size(); ++a) {
    if (extents[a] > 1) axes.append(extents[a], {strides[a]});
  }
  axes.sort(layout::Axes::Sort::first_decides);
  axes.merge();
  return axes.rank() == 0 || (axes.rank() == 1 && axes.stride(0, 0) == itemsize);
}

CoreLayout::Core core_of(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides, std::int64_t itemsize) {
  CoreLayout::Core core{.unit = -1, .packed = true, .dense = is_dense(extents, strides, itemsize)};
  std::int64_t step = itemsize;
  for (std::size_t a = extents.size(); a-- > 0;) {
    // An index of 0 alone goes with any stride.
    const bool one = extents[a] <= 1;
    core.packed &= one || strides[a] == step;
    step *= extents[a];
    if (core.unit < 0 && strides[a] == itemsize && !one) core.unit = static_cast<int>(a);
  }
  if (core.packed && !extents.empty()) core.unit = static_cast<int>(extents.size()) - 1;
  return core;
}

}  // namespace

CoreLayout::CoreLayout(const CoreShape& shape, std::span<const PlacedCore> operands) : iteration(iterate(shape, operands)) {
  for (const PlacedCore& operand : operands) {
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;
    if (operand.axes != nullptr && operand.dimensions != nullptr) {
      for (std::size_t a = 0; a < operand.dimensions->size(); ++a) {
        const std::int64_t axis = operand.axes->core[a];
        extents.push_back(shape.sizes[(*operand.dimensions)[a]]);
        strides.push_back(axis < 0 ? 0 : (*operand.strides)[static_cast<std::size_t>(axis)]);
      }
    }
    cores.push_back(core_of(extents, strides, operand.itemsize));
    core_strides.insert(core_strides.end(), strides.begin(), strides.end());
  }
}

std::string describe(const CoreLayout::Core& core, const signature::Layout& layout,
                     const std::vector<std::size_t>& dimensions) {
  if (dimensions.empty()) return "one element";
  if (core.packed) return "contiguous";
  if (core.unit < 0) return "strided";
  return "contiguous along " + layout.dimensions[dimensions[static_cast<std::size_t>(core.unit)]].name;
}

}  // namespace kiln::gufunc

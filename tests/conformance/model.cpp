#include "model.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace conformance {
namespace {

template <class T>
T pick(std::initializer_list<T> choices, std::mt19937_64& source) {
  return choices.begin()[source() % choices.size()];
}

}  // namespace

Exact& Model::at(const Extents& index) const {
  std::int64_t place = offset;
  const std::size_t dropped = index.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) place += (shape[i] == 1 ? 0 : index[dropped + i]) * strides[i];
  return (*memory)[static_cast<std::size_t>(place)];
}

Extents random_reduced_shape(std::mt19937_64& source) {
  switch (source() % 6) {
    case 0:
      return {static_cast<std::int64_t>(source() % 5000 + 1)};
    case 1:
      return {static_cast<std::int64_t>(source() % 300 + 1), static_cast<std::int64_t>(source() % 40 + 1)};
    case 2:
      return {static_cast<std::int64_t>(source() % 12 + 1), static_cast<std::int64_t>(source() % 700 + 1)};
    default:
      return random_loop_shape(static_cast<int>(source() % 5), 1 << (source() % 12), source);
  }
}

void for_each_index(const Extents& shape, const std::function<void(const Extents&)>& f) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  Extents index(shape.size(), 0);
  while (true) {
    f(index);
    std::size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

std::int64_t size_of(const Extents& shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return size;
}

std::string text_of(const Extents& numbers) {
  return to_string(shape_of(numbers));
}

Extents random_loop_shape(int ndim, std::int64_t size, std::mt19937_64& source) {
  Extents shape;
  std::int64_t left = size;
  for (int i = 0; i < ndim; ++i) {
    std::int64_t extent = pick<std::int64_t>({1, 2, 2, 3, 3, 4, 5, 7, 17, 66}, source);
    if (extent > left) extent = 1;
    left /= extent;
    shape.push_back(extent);
  }
  if (!shape.empty() && source() % 40 == 0) shape[source() % shape.size()] = 0;
  return shape;
}

Extents random_shape_into(const Extents& loop, std::mt19937_64& source) {
  const std::size_t dropped = loop.empty() || source() % 3 != 0 ? 0 : source() % (loop.size() + 1);
  Extents shape(loop.begin() + static_cast<std::ptrdiff_t>(dropped), loop.end());
  for (std::int64_t& extent : shape) {
    if (source() % 5 == 0) extent = 1;
  }
  return shape;
}

Operand random_operand(const Target& target, const OperandRequest& request, std::mt19937_64& source) {
  const std::size_t ndim = request.shape.size();
  // Half of the operands are plain, so that packed operands meet strided ones.
  const bool plain = source() % 2 == 0;
  std::vector<std::size_t> memory_order(ndim);
  std::iota(memory_order.begin(), memory_order.end(), std::size_t{0});
  if (!plain || source() % 4 == 0) std::shuffle(memory_order.begin(), memory_order.end(), source);

  // Each axis of the base: `before` elements, then every |step|-th one, then `after` elements.
  struct Axis {
    std::int64_t step = 1, before = 0, after = 0, extent = 1;
    bool repeats = false;
  };
  constexpr std::int64_t kMostElements = 30000;
  std::int64_t total = 1;
  std::vector<Axis> axes(ndim);
  for (std::size_t i = 0; i < ndim; ++i) {
    if (!plain) {
      axes[i].step = pick<std::int64_t>({1, 1, 1, 2, 3, -1, -2}, source);
      axes[i].before = pick<std::int64_t>({0, 0, 1}, source);
      axes[i].after = pick<std::int64_t>({0, 0, 1}, source);
      axes[i].repeats = request.input && request.shape[i] > 0 && source() % 8 == 0;
    }
    const std::int64_t used = axes[i].repeats ? 1 : request.shape[i];
    const auto extent = [&] {
      return axes[i].before + axes[i].after + (used == 0 ? 0 : (used - 1) * std::abs(axes[i].step) + 1);
    };
    // Gaps of many axes multiply: past a bound an axis has none.
    if (extent() * total > kMostElements) axes[i] = {.step = axes[i].step < 0 ? -1 : 1, .repeats = axes[i].repeats};
    axes[i].extent = extent();
    total *= std::max<std::int64_t>(axes[i].extent, 1);
  }

  Operand operand;
  kiln::Shape base_shape(ndim, 1);
  std::int64_t size = 1;
  for (std::size_t i = 0; i < ndim; ++i) {
    base_shape[i] = axes[memory_order[i]].extent;
    size *= base_shape[i];
  }
  operand.model.memory = std::make_shared<std::vector<Exact>>(static_cast<std::size_t>(size));
  for (Exact& value : *operand.model.memory) {
    value = rounded(request.dtype, static_cast<long double>(source() % 21) - (is_signed(request.dtype) ? 10.0L : 0.0L));
  }
  operand.base = target.place(make(request.dtype, *operand.model.memory, base_shape));

  operand.model.shape = request.shape;
  operand.model.strides.assign(ndim, 0);
  kiln::Dims to_base(ndim, 0);
  std::int64_t stride = 1;
  for (std::size_t i = ndim; i-- > 0;) {
    to_base[memory_order[i]] = static_cast<std::int64_t>(i);
    operand.model.strides[memory_order[i]] = stride;
    stride *= base_shape[i];
  }
  std::vector<kiln::Index> slices;
  for (std::size_t i = 0; i < ndim; ++i) {
    const Axis& axis = axes[i];
    const std::int64_t used = axis.repeats ? 1 : request.shape[i];
    const std::int64_t first = axis.before + (axis.step < 0 && used > 0 ? (used - 1) * -axis.step : 0);
    std::optional<std::int64_t> stop = first + used * axis.step;
    if (used == 0) stop = first;
    if (*stop < 0) stop.reset();
    slices.emplace_back(kiln::Slice{.start = first, .stop = stop, .step = axis.step});
    if (used > 0) operand.model.offset += first * operand.model.strides[i];
    operand.model.strides[i] = axis.repeats ? 0 : operand.model.strides[i] * axis.step;
  }
  operand.view = operand.base;
  if (ndim > 0) operand.view = operand.base.transpose(to_base).slice(slices);
  if (!(operand.view.shape() == shape_of(request.shape))) operand.view = operand.view.broadcast_to(shape_of(request.shape));
  return operand;
}

}  // namespace conformance

// A slow, independent picture of a strided array: a flat copy of the memory, an offset and strides counted in elements. What a
// ufunc must give is computed here by index arithmetic alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "devices.hpp"
#include "values.hpp"

namespace conformance {

using Extents = std::vector<std::int64_t>;

/// A view into flat memory.
struct Model {
  std::shared_ptr<std::vector<Exact>> memory;
  std::int64_t offset = 0;
  Extents shape;
  Extents strides;

  /// The element at an index of a loop shape, to which this broadcasts.
  [[nodiscard]] Exact& at(const Extents& index) const;
};

/// The same view as kiln sees it: a placed base array and the view into it.
struct Operand {
  kiln::Array base;
  kiln::Array view;
  Model model;
};

struct OperandRequest {
  Extents shape;
  kiln::DType dtype = kiln::DType::int32;
  bool input = true;  ///< inputs may have axes of stride 0
};
/// An array of that shape whose axes lie in a random order, stepped, reversed, padded, shifted or repeated.
Operand random_operand(const Target& target, const OperandRequest& request, std::mt19937_64& source);

/// What broadcasts to `loop`: leading axes dropped, others of extent 1, at random.
Extents random_shape_into(const Extents& loop, std::mt19937_64& source);
/// Up to `ndim` axes and about `size` elements.
Extents random_loop_shape(int ndim, std::int64_t size, std::mt19937_64& source);

/// Long lines, tall and wide matrices, and shapes of up to four axes.
Extents random_reduced_shape(std::mt19937_64& source);

/// Calls f(index) for every index of the shape, in C order.
void for_each_index(const Extents& shape, const std::function<void(const Extents&)>& f);

/// How many elements.
std::int64_t size_of(const Extents& shape);

std::string text_of(const Extents& numbers);
inline kiln::Shape shape_of(const Extents& numbers) {
  return numbers;
}

}  // namespace conformance

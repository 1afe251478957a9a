// One transform along distinct axes, with all its numbers: what a public function comes down to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/fft.hpp"
#include "kiln/fft.hpp"

namespace kiln::fft {

using backend::FftKind;

/// A transformed axis, and its points (of the real side, where there is one).
struct Axis {
  std::size_t at;
  std::int64_t n;
};

struct Transform {
  const char* name = "";  ///< of the public function, for messages
  FftKind kind = FftKind::complex;
  bool inverse = false;
  Norm norm = Norm::backward;
  Planning planning = Planning::estimate;
  std::vector<Axis> axes = {};  ///< distinct; the last one is that which real kinds halve; none: the elements themselves

  Shape in_shape = {};   ///< what the input is cut off to, or filled up to
  Shape out_shape = {};  ///< of the result
  DType in_dtype{};      ///< of the computation
  DType out_dtype{};     ///< of the computation
  DType result_dtype{};  ///< of a new result
  double factor = 1;     ///< of the norm

  [[nodiscard]] bool single() const noexcept { return in_dtype == DType::float32 || in_dtype == DType::complex64; }
};

/// Fills in all but the names: shapes, dtypes, factor. TypeError for complex input of a real transform, ShapeError for fewer
/// points than 1.
void complete(Transform& transform, const Array& a);

/// The axes of a call with their points, in the order in which they were given; `halved`: by default the last one has as many
/// points as irfft() makes of it. ShapeError for an axis that is not there, and for numbers that are not one for each axis.
[[nodiscard]] std::vector<Axis> axes_of(const char* name, const Shape& shape, const std::optional<Shape>& s,
                                        const std::optional<std::vector<int>>& axes, bool halved);

/// Position of an axis, negative ones from the end. ShapeError.
[[nodiscard]] std::size_t axis_of(const char* name, const Shape& shape, int axis);

}  // namespace kiln::fft

// The axes that a function works along, and the options of NumPy's functions that take some.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kiln/dtype.hpp"
#include "kiln/stream.hpp"

namespace kiln {

/// The axes that a method works along: one, several, kiln::all_axes or kiln::no_axes. Negative ones count from the end.
class Axes {
 public:
  /// Constructs one axis.
  Axes(int axis) : list_{axis} {}  // NOLINT(google-explicit-constructor)
  /// Constructs several axes; an empty list means none. A call with an axis out of range, or named twice, throws ShapeError.
  Axes(std::initializer_list<int> axes) : list_(axes) {}  // NOLINT(google-explicit-constructor)
  /// Constructs several axes from a vector, by the same rules.
  Axes(std::vector<int> axes) noexcept : list_(std::move(axes)) {}  // NOLINT(google-explicit-constructor)
  /// Returns every axis, whatever the array.
  [[nodiscard]] static Axes all() {
    Axes axes(std::vector<int>{});
    axes.all_ = true;
    return axes;
  }
  /// Returns true for all().
  [[nodiscard]] bool is_all() const noexcept { return all_; }
  /// Returns the given axes; empty for all().
  [[nodiscard]] std::span<const int> list() const noexcept { return list_; }

 private:
  std::vector<int> list_;
  bool all_ = false;
};
/// Every axis: `.axis = kiln::all_axes`.
inline const Axes all_axes = Axes::all();
/// No axis: each element is reduced by itself.
inline const Axes no_axes = std::vector<int>{};

/// Options of NumPy's functions that reduce: sum(), mean(), max(), … By default they reduce all axes, as in NumPy.
struct AxisOptions {
  Axes axis = Axes::all();                    ///< axes that are reduced
  bool keepdims = false;                      ///< true: reduced axes stay, with extent 1
  std::optional<DType> dtype = std::nullopt;  ///< dtype of the computation and the result
  Stream stream = {};                         ///< stream that the call is queued on; default: the device's default stream
};

/// Options of var() and std().
struct VarOptions {
  Axes axis = Axes::all();                    ///< axes that are reduced
  bool keepdims = false;                      ///< true: reduced axes stay, with extent 1
  std::optional<DType> dtype = std::nullopt;  ///< dtype of the computation and the result
  double ddof = 0;                            ///< the sum of squares is divided by the number of elements less this
  Stream stream = {};                         ///< stream that the call is queued on; default: the device's default stream
};

/// Options of cumsum() and cumprod().
struct CumulativeOptions {
  std::optional<int> axis = std::nullopt;     ///< axis that the function runs along; absent: all elements in C order
  std::optional<DType> dtype = std::nullopt;  ///< dtype of the computation and the result
  Stream stream = {};                         ///< stream that the call is queued on; default: the device's default stream
};

}  // namespace kiln

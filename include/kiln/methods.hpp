// The options of the methods of a ufunc: axes, and those of reduce, accumulate, reduceat, at.
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "kiln/arg.hpp"
#include "kiln/array.hpp"
#include "kiln/device.hpp"
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

/// Options of Ufunc::reduce. Every member has a default.
struct ReduceOptions {
  Axes axis = 0;                                ///< axes that are reduced
  bool keepdims = false;                        ///< true: reduced axes stay, with extent 1
  std::optional<Arg> initial = std::nullopt;    ///< scalar to start from; the loop's dtype must be able to represent its value
  ArrayArg where = {};                          ///< mask: bool, broadcast with the array; elements with false are ignored
  std::optional<DType> dtype = std::nullopt;    ///< dtype of the computation and the result
  ArrayArg out = {};                            ///< array of exactly the result's shape; written in place
  Stream stream = {};                           ///< stream that the call is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  std::stop_token stop = {};                    ///< token that ends the call with Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};        ///< time limit, after which Stopped is thrown; 0: none; negative: TypeError
};

/// Options of Ufunc::accumulate and Ufunc::reduceat. Every member has a default.
struct AccumulateOptions {
  int axis = 0;                                 ///< axis that the method runs along; negative ones count from the end
  std::optional<DType> dtype = std::nullopt;    ///< dtype of the computation and the result
  ArrayArg out = {};                            ///< array of exactly the result's shape; written in place
  Stream stream = {};                           ///< stream that the call is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  std::stop_token stop = {};                    ///< token that ends the call with Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};        ///< time limit, after which Stopped is thrown; 0: none; negative: TypeError
};

/// Options of Ufunc::at.
struct AtOptions {
  Stream stream = {};                           ///< stream that the call is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  std::stop_token stop = {};                    ///< token that ends the call with Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};        ///< time limit, after which Stopped is thrown; 0: none; negative: TypeError
};

}  // namespace kiln

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
  /// One axis.
  Axes(int axis) : list_{axis} {}  // NOLINT(google-explicit-constructor)
  /// Several; none where the list is empty. Those out of range or named twice are a ShapeError of the call.
  Axes(std::initializer_list<int> axes) : list_(axes) {}  // NOLINT(google-explicit-constructor)
  /// The same.
  Axes(std::vector<int> axes) noexcept : list_(std::move(axes)) {}  // NOLINT(google-explicit-constructor)
  /// Every axis of whatever array is given.
  [[nodiscard]] static Axes all() {
    Axes axes(std::vector<int>{});
    axes.all_ = true;
    return axes;
  }
  /// Whether it is all().
  [[nodiscard]] bool is_all() const noexcept { return all_; }
  /// As given; empty for all().
  [[nodiscard]] std::span<const int> list() const noexcept { return list_; }

 private:
  std::vector<int> list_;
  bool all_ = false;
};
/// Every axis: `.axis = kiln::all_axes`.
inline const Axes all_axes = Axes::all();
/// None: each element is reduced for itself.
inline const Axes no_axes = std::vector<int>{};

/// Options of Ufunc::reduce. Every member has a default.
struct ReduceOptions {
  Axes axis = 0;                                ///< that are reduced
  bool keepdims = false;                        ///< reduced axes stay, with extent 1
  std::optional<Arg> initial = std::nullopt;    ///< a scalar to start from, of a value that the loop's dtype has
  Array where = {};                             ///< bool, broadcast with the array: which elements count
  std::optional<DType> dtype = std::nullopt;    ///< of the computation and the result
  Array out = {};                               ///< of exactly the result's shape; written in place
  Stream stream = {};                           ///< default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< where it runs; default: where its arrays are, or .stream, or Device::best()
  std::stop_token stop = {};                    ///< where it is requested the call ends as a Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};  ///< after which the call ends as a Stopped; 0: no limit; TypeError where negative
};

/// Options of Ufunc::accumulate and Ufunc::reduceat. Every member has a default.
struct AccumulateOptions {
  int axis = 0;                                 ///< along which; negative ones count from the end
  std::optional<DType> dtype = std::nullopt;    ///< of the computation and the result
  Array out = {};                               ///< of exactly the result's shape; written in place
  Stream stream = {};                           ///< default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< where it runs; default: where its arrays are, or .stream, or Device::best()
  std::stop_token stop = {};                    ///< where it is requested the call ends as a Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};  ///< after which the call ends as a Stopped; 0: no limit; TypeError where negative
};

/// Options of Ufunc::at.
struct AtOptions {
  Stream stream = {};                           ///< default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< where it runs; default: where its arrays are, or .stream, or Device::best()
  std::stop_token stop = {};                    ///< where it is requested the call ends as a Stopped (docs/semantics.md)
  std::chrono::nanoseconds timeout = {};  ///< after which the call ends as a Stopped; 0: no limit; TypeError where negative
};

}  // namespace kiln

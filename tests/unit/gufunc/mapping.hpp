// What a CPU maps a call of a generalized ufunc to, and arrays whose layouts decide it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/gufunc.hpp"

namespace kiln::test {

/// The CPU, whatever other devices the machine has.
class OnCpu {
 public:
  [[nodiscard]] std::string mapping(const Gufunc& gufunc, const std::vector<Arg>& args, GufuncOptions options = {}) const {
    options.stream = stream_;
    return gufunc.resolve(args, options).variant;
  }
  /// The kernel that a call runs.
  [[nodiscard]] cache::Contents kernel(const Gufunc& gufunc, const std::vector<Arg>& args, GufuncOptions options = {}) const {
    options.stream = stream_;
    return gufunc.compiled(args, options);
  }

 private:
  Stream stream_{Device::cpu()};
};

/// Items in one piece, one behind the other.
inline Array aos(const Shape& shape, DType dtype = DType::float32) {
  return Array::zeros(shape, dtype);
}

/// Items, axis 0, side by side: its axis is the nearest in memory. The core's axes lie in their order or `transposed`.
inline Array soa(const Shape& shape, DType dtype = DType::float32, bool transposed = false) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto place = [&](std::int64_t axis) { return axis == 0 ? rank - 1 : transposed ? rank - 1 - axis : axis - 1; };
  Shape there = shape;
  Dims back;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    there[static_cast<std::size_t>(place(axis))] = shape[static_cast<std::size_t>(axis)];
    back.push_back(place(axis));
  }
  return Array::zeros(there, dtype).transpose(back);
}

}  // namespace kiln::test

// Arrays of random numbers by counter: kiln::random::normal({1000, 3}, {.seed = 7}). The same seed gives the same bits on every
// device, and docs/random.md names the same generator's functions for bodies.
#pragma once

#include <cstdint>
#include <optional>

#include "kiln/array.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/export.hpp"
#include "kiln/shape.hpp"
#include "kiln/stream.hpp"

namespace kiln::random {

/// Options of random arrays. Every member has a default.
struct Options {
  std::uint64_t seed = 0;    ///< the sequence; each seed has its own
  std::uint64_t offset = 0;  ///< place of the first element in the sequence
  /// float32 or float64; of poisson() int32 or int64. Default: that of .out, else the 64-bit one.
  std::optional<DType> dtype = std::nullopt;
  Array out = {};  ///< array of exactly that shape, with any strides: written in place, and returned
  /// Device of a new array; default: the stream's, else a host array. With a host .out: the device that computes.
  std::optional<Device> device = std::nullopt;
  Stream stream = {};  ///< stream that the call is queued on; default: the device's default stream
};

/// @name Distributions
///
/// Returns a new array in C order, or .out. Element number k in C order depends on the function, the seed, the dtype and
/// offset + k alone. So parts of an array may be made in any order, on any device. Nothing is remembered between calls: two
/// with the same options give the same numbers.
///
/// A host array is computed on Device::best(). On a stream the call is queued. Thread-safe.
///
/// Throws TypeError for another dtype, and for an .out that is read-only or not of .dtype. Throws ShapeError for a negative
/// extent, and for an .out of another shape or whose elements share memory. Throws DeviceError if the device or its memory is
/// not available.
/// @{

/// Returns numbers that are uniform in [0, 1): multiples of 2^-24 (float32) or 2^-53 (float64).
KILN_API Array uniform(const Shape& shape, const Options& options = {});
/// Returns numbers of the normal distribution with mean 0 and variance 1, by Box and Muller's method. They are finite, up to
/// 6.7 (float32) or 8.6 (float64).
KILN_API Array normal(const Shape& shape, const Options& options = {});
/// Returns numbers of the exponential distribution with mean 1. They are finite and not negative.
KILN_API Array exponential(const Shape& shape, const Options& options = {});
/// Returns integers of Poisson's distribution. Throws TypeError for a mean that is negative, NaN, or above 2^60 (int64) or 2^30
/// (int32).
KILN_API Array poisson(double mean, const Shape& shape, const Options& options = {});
/// @}

}  // namespace kiln::random

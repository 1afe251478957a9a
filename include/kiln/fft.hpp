// Discrete Fourier transforms with NumPy's names, arguments and results: kiln::fft::fft(a, {.n = 256, .axis = 0}). FFTW
// computes on the CPU, cuFFT and hipFFT on GPUs. Each is opened at the first call that needs it (docs/fft.md).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/device.hpp"
#include "kiln/export.hpp"
#include "kiln/shape.hpp"
#include "kiln/stream.hpp"

namespace kiln::fft {

/// Position of the factor 1/N, N being the number of points: numpy.fft's `norm`.
enum class Norm : std::uint8_t {
  backward,  ///< scales the inverse transforms
  ortho,     ///< scales both, by 1/sqrt(N)
  forward,   ///< scales the forward transforms
};

/// FFTW's method of choosing an algorithm for a shape. Plans are stored for later calls. GPUs' libraries choose by themselves.
enum class Planning : std::uint8_t {
  estimate,  ///< heuristics: FFTW_ESTIMATE
  measure,   ///< trials on scratch memory, milliseconds to seconds once for a shape: FFTW_MEASURE
};

/// Options of transforms along one axis. Every member has a default.
struct Options {
  /// Number of points: a longer input is truncated, a shorter one padded with zeros. Default: the input's number of points; for
  /// m points in irfft() and hfft() it is 2·(m - 1).
  std::optional<std::int64_t> n = std::nullopt;
  int axis = -1;               ///< axis of the transform; negative ones count from the end
  Norm norm = Norm::backward;  ///< direction that is scaled
  Array out = {};              ///< array of exactly the result's shape; it may be the input, or overlap it in any way
  Stream stream = {};          ///< stream that the call is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  Planning plan = Planning::estimate;           ///< planning on the CPU
};

/// Options of transforms along two axes.
struct Options2 {
  std::optional<Shape> s = std::nullopt;        ///< number of points along each of the axes; -1: the input's
  std::vector<int> axes = {-2, -1};             ///< axes of the transform; real transforms halve the last one
  Norm norm = Norm::backward;                   ///< direction that is scaled
  Array out = {};                               ///< array of exactly the result's shape; it may overlap the input
  Stream stream = {};                           ///< stream that the call is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  Planning plan = Planning::estimate;           ///< planning on the CPU
};

/// Options of transforms along any axes.
struct OptionsN {
  std::optional<Shape> s = std::nullopt;  ///< number of points along each of the axes; -1: the input's
  /// Axes of the transform; default: all, or the last ones, as many as `.s` has.
  std::optional<std::vector<int>> axes = std::nullopt;
  Norm norm = Norm::backward;                   ///< direction that is scaled
  Array out = {};                               ///< array of exactly the result's shape; it may overlap the input
  Stream stream = {};                           ///< stream that the call is queued on; default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< device of the call; default: its arrays', .stream's, or Device::best()
  Planning plan = Planning::estimate;           ///< planning on the CPU
};

/// @name Transforms
///
/// Returns .out, or a new array in C order. float32, complex64, float16 and bfloat16 are computed in float32 and give
/// complex64. Other dtypes are computed in float64 and give complex128.
///
/// Real results are float32 and float64. For float16 and bfloat16 input along one axis they have the input's dtype. The result
/// is converted if .out has another dtype of its kind.
///
/// A call runs on the device of its arrays, else on that of its stream, else on Device::best(); on a stream it is queued.
/// Thread-safe.
///
/// Throws ShapeError for fewer points than 1, an axis out of range, and numbers of points that do not match the axes. Throws
/// ShapeError for an .out of another shape, or whose elements share memory.
///
/// Throws TypeError for an .out that is read-only or of a lower kind than the result. Throws TypeError for complex input of
/// rfft(), rfft2(), rfftn() and ihfft().
///
/// Throws DeviceError if the library is missing (with every path tried), if it fails, and in a capture.
/// @{

/// Returns the sum over j of a[j] exp(-2πi jk/n), for k from 0 to n - 1, along one axis.
KILN_API Array fft(const Array& a, const Options& options = {});
/// Returns the inverse of fft(): the sum over k of a[k] exp(2πi jk/n), divided by n.
KILN_API Array ifft(const Array& a, const Options& options = {});
/// Returns fft() of real numbers: k from 0 to n/2, as the other half is conjugate.
KILN_API Array rfft(const Array& a, const Options& options = {});
/// Returns the inverse of rfft(): n real numbers from n/2 + 1 points. The imaginary part of the first point has
/// no meaning and is taken as 0 (hipFFT may read it). For even n this holds for the last point, too.
KILN_API Array irfft(const Array& a, const Options& options = {});
/// Returns fft() of points whose other half is conjugate: n real numbers from n/2 + 1 points.
KILN_API Array hfft(const Array& a, const Options& options = {});
/// Returns the inverse of hfft(): n/2 + 1 points from n real numbers.
KILN_API Array ihfft(const Array& a, const Options& options = {});

/// Returns fft() along two axes.
KILN_API Array fft2(const Array& a, const Options2& options = {});
/// Returns ifft() along two axes.
KILN_API Array ifft2(const Array& a, const Options2& options = {});
/// Returns rfft() along the last of two axes, then fft() along the other.
KILN_API Array rfft2(const Array& a, const Options2& options = {});
/// Returns the inverse of rfft2().
KILN_API Array irfft2(const Array& a, const Options2& options = {});

/// Returns fft() along several axes; an axis that is named twice is transformed twice. With no axes the result is the input as
/// complex numbers.
KILN_API Array fftn(const Array& a, const OptionsN& options = {});
/// Returns ifft() along several axes.
KILN_API Array ifftn(const Array& a, const OptionsN& options = {});
/// Returns rfft() along the last of the axes, then fft() along the others. Throws ShapeError if there are no axes.
KILN_API Array rfftn(const Array& a, const OptionsN& options = {});
/// Returns the inverse of rfftn(). Throws ShapeError if there are no axes.
KILN_API Array irfftn(const Array& a, const OptionsN& options = {});
/// @}

/// Options of fftshift() and ifftshift().
struct ShiftOptions {
  std::optional<std::vector<int>> axes = std::nullopt;  ///< axes that are shifted; default: all
};
/// Returns a copy with the frequency 0 in the middle: rolled along the axes by half their extent. On a GPU the copy is queued
/// on the default stream. Throws ShapeError for an axis out of range.
[[nodiscard]] KILN_API Array fftshift(const Array& a, const ShiftOptions& options = {});
/// Returns the inverse of fftshift(); the two differ for odd extents.
[[nodiscard]] KILN_API Array ifftshift(const Array& a, const ShiftOptions& options = {});

/// Returns the frequencies of fft() with n points at distance `d`, in cycles per unit of d: 0, 1, …, -2, -1 over d·n. The
/// result is a host array of float64. Throws ShapeError if n is below 1, Error if d is 0.
[[nodiscard]] KILN_API Array fftfreq(std::int64_t n, double d = 1.0);
/// Returns the frequencies of rfft(): n/2 + 1 numbers, none negative.
[[nodiscard]] KILN_API Array rfftfreq(std::int64_t n, double d = 1.0);

}  // namespace kiln::fft

// Discrete Fourier transforms with NumPy's names, arguments and results: kiln::fft::fft(a, {.n = 256, .axis = 0}). FFTW
// computes on the CPU, cuFFT and hipFFT on GPUs; each is opened at the first call that needs it (docs/fft.md).
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

/// Where the factor 1/N stands, N being the number of points: numpy.fft's `norm`.
enum class Norm : std::uint8_t {
  backward,  ///< at the inverse transforms
  ortho,     ///< at both, as 1/sqrt(N)
  forward,   ///< at the forward transforms
};

/// How FFTW chooses an algorithm for a shape; plans are kept for later calls. GPUs' libraries choose for themselves.
enum class Planning : std::uint8_t {
  estimate,  ///< by rules: FFTW_ESTIMATE
  measure,   ///< by trying several on scratch memory, which takes milliseconds to seconds once a shape: FFTW_MEASURE
};

/// Options of transforms along one axis. Every member has a default.
struct Options {
  std::optional<std::int64_t> n = std::nullopt;  ///< points: the input is cut off there or filled up with zeros; as many as it
                                                 ///< has by default, for irfft() and hfft() 2·(m - 1) of m
  int axis = -1;                                 ///< negative ones count from the end
  Norm norm = Norm::backward;                    ///< which direction is scaled
  Array out = {};                                ///< of exactly the result's shape; may be the input, or overlap it in any way
  Stream stream = {};                            ///< default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< where it runs; default: where its arrays are, or .stream, or Device::best()
  Planning plan = Planning::estimate;           ///< on the CPU
};

/// Options of transforms along two axes.
struct Options2 {
  std::optional<Shape> s = std::nullopt;        ///< points along each of the axes; -1: as many as there are
  std::vector<int> axes = {-2, -1};             ///< the last one is that which real transforms halve
  Norm norm = Norm::backward;                   ///< as of Options, and so are the others
  Array out = {};                               ///< of exactly the result's shape
  Stream stream = {};                           ///< default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< where it runs; default: where its arrays are, or .stream, or Device::best()
  Planning plan = Planning::estimate;           ///< on the CPU
};

/// Options of transforms along any axes.
struct OptionsN {
  std::optional<Shape> s = std::nullopt;                ///< points along each of the axes; -1: as many as there are
  std::optional<std::vector<int>> axes = std::nullopt;  ///< default: all of them, or the last ones, as many as `.s` has
  Norm norm = Norm::backward;                           ///< as of Options, and so are the others
  Array out = {};                                       ///< of exactly the result's shape
  Stream stream = {};                                   ///< default: the device's default stream
  std::optional<Device> device = std::nullopt;  ///< where it runs; default: where its arrays are, or .stream, or Device::best()
  Planning plan = Planning::estimate;           ///< on the CPU
};

/// @name Transforms
/// They return .out, or a new array in C order. float32, complex64, float16 and bfloat16 are computed in float32 and give
/// complex64, all else is computed in float64 and gives complex128; real results are float32 and float64, of the two halves
/// their own dtype along one axis. A call runs where its arrays are, else on the device of its stream, else on Device::best();
/// on a stream it is queued. Thread-safe.
///
/// ShapeError for fewer points than 1, an axis that is not there, numbers of points that are not one for each axis, and an .out
/// of another shape or whose elements share memory. TypeError for an .out that is read-only or of a lower kind than the result,
/// and for complex input of rfft(), rfft2(), rfftn() and ihfft(). DeviceError where the library is missing, with every path
/// tried, where it refuses, and in a capture. An .out of another dtype of the kind is converted to.
/// @{

/// sum over j of a[j] exp(-2πi jk/n), for k from 0 to n - 1, along one axis.
KILN_API Array fft(const Array& a, const Options& options = {});
/// The inverse: sum over k of a[k] exp(2πi jk/n), divided by n.
KILN_API Array ifft(const Array& a, const Options& options = {});
/// fft() of real numbers: k from 0 to n/2, as the other half is conjugate to it.
KILN_API Array rfft(const Array& a, const Options& options = {});
/// The inverse of rfft(): n real numbers of n/2 + 1. Imaginary parts of the first of them, and for even n of the last, have no
/// meaning and are taken for 0 (hipFFT may read them).
KILN_API Array irfft(const Array& a, const Options& options = {});
/// fft() of numbers whose other half is conjugate to them: n real ones of n/2 + 1.
KILN_API Array hfft(const Array& a, const Options& options = {});
/// The inverse of hfft(): n/2 + 1 of n real numbers.
KILN_API Array ihfft(const Array& a, const Options& options = {});

/// fft() along two axes.
KILN_API Array fft2(const Array& a, const Options2& options = {});
/// ifft() along two axes.
KILN_API Array ifft2(const Array& a, const Options2& options = {});
/// rfft() along the last of two axes, then fft() along the other.
KILN_API Array rfft2(const Array& a, const Options2& options = {});
/// The inverse of rfft2().
KILN_API Array irfft2(const Array& a, const Options2& options = {});

/// fft() along several axes; one that is named twice is transformed twice. Along none it is the input as complex numbers.
KILN_API Array fftn(const Array& a, const OptionsN& options = {});
/// ifft() along several axes.
KILN_API Array ifftn(const Array& a, const OptionsN& options = {});
/// rfft() along the last of the axes, then fft() along the others. ShapeError for no axes.
KILN_API Array rfftn(const Array& a, const OptionsN& options = {});
/// The inverse of rfftn(). ShapeError for no axes.
KILN_API Array irfftn(const Array& a, const OptionsN& options = {});
/// @}

/// Options of fftshift() and ifftshift().
struct ShiftOptions {
  std::optional<std::vector<int>> axes = std::nullopt;  ///< default: all of them
};
/// A copy with the frequency 0 in the middle: rolled along the axes by half their extent. On a GPU it is queued on the default
/// stream. ShapeError for an axis that is not there.
[[nodiscard]] KILN_API Array fftshift(const Array& a, const ShiftOptions& options = {});
/// The inverse of fftshift(), from which it differs for odd extents.
[[nodiscard]] KILN_API Array ifftshift(const Array& a, const ShiftOptions& options = {});

/// The frequencies of fft() with n points that are `d` apart, in cycles for each unit of d: 0, 1, …, -2, -1 over d·n. A host
/// array of float64. ShapeError for an n below 1, Error for a `d` of 0.
[[nodiscard]] KILN_API Array fftfreq(std::int64_t n, double d = 1.0);
/// Those of rfft(): n/2 + 1 of them, none negative.
[[nodiscard]] KILN_API Array rfftfreq(std::int64_t n, double d = 1.0);

}  // namespace kiln::fft

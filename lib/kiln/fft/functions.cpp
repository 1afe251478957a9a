// The public transforms: which axes, in which order, with how many points.
#include <algorithm>
#include <utility>

#include "array/access.hpp"
#include "device/capture.hpp"
#include "fft/call.hpp"
#include "fft/repeated.hpp"
#include "fft/transform.hpp"
#include "kiln/error.hpp"
#include "kiln/fft.hpp"
#include "kiln/math.hpp"

namespace kiln::fft {
namespace {

/// What a public function is.
struct Function {
  const char* name;
  FftKind kind;
  bool inverse;
};

/// Where the last axes begin that are all distinct.
std::size_t distinct_from(const std::vector<Axis>& axes) {
  std::size_t begin = axes.size();
  while (begin > 0 && std::none_of(axes.begin() + static_cast<std::ptrdiff_t>(begin), axes.end(),
                                   [&](const Axis& axis) { return axis.at == axes[begin - 1].at; })) {
    --begin;
  }
  return begin;
}

/// Along each axis in NumPy's order, which matters where one is named twice: the last one first, but for complex_to_real, whose
/// last axis is the last.
Array along(const Function& function, const Array& a, std::vector<Axis> axes, const OptionsN& options) {
  Transform transform{.name = function.name,
                      .kind = function.kind,
                      .inverse = function.inverse,
                      .norm = options.norm,
                      .planning = options.plan};
  const std::size_t begin = distinct_from(axes);
  transform.axes.assign(axes.begin() + static_cast<std::ptrdiff_t>(begin), axes.end());
  if (begin == 0) {
    complete(transform, a);
    return run(transform, a, options.out, {options.stream, options.device});
  }
  axes.resize(begin);
  const Function others{function.name, FftKind::complex, function.inverse};
  OptionsN inner = options;
  inner.out = {};
  if (function.kind != FftKind::complex_to_real) {
    complete(transform, a);
    return along(others, run(transform, a, {}, {options.stream, options.device}), std::move(axes), options);
  }
  std::reverse(axes.begin(), axes.end());  // NumPy goes through them from the first one here
  const Array first = along(others, a, std::move(axes), inner);
  complete(transform, first);
  return run(transform, first, options.out, {options.stream, options.device});
}

Array along_one(const Function& function, const Array& a, const Options& options) {
  CallKey key{function.name, std::span(&options.axis, 1), std::nullopt, options.norm, options.plan};
  if (options.n) key.s = std::span(&*options.n, 1);
  if (options.stream.is_default() && !options.device) {
    if (Array result = run_repeated(key, a, options.out); result.valid()) return result;
  }
  Remembered remembered;
  const Shape& shape = detail::rep_of(a).shape;
  const std::size_t at = axis_of(function.name, shape, options.axis);
  const bool halved = function.kind == FftKind::complex_to_real;
  Transform transform{.name = function.name,
                      .kind = function.kind,
                      .inverse = function.inverse,
                      .norm = options.norm,
                      .planning = options.plan,
                      .axes = {{at, options.n.value_or(halved ? 2 * (shape[at] - 1) : shape[at])}}};
  complete(transform, a);
  Array result = run(transform, a, options.out, {options.stream, options.device});
  remembered.end(key, a, options.out, result);
  return result;
}

Array along_several(const Function& function, const Array& a, const OptionsN& options) {
  CallKey key{function.name, std::nullopt, std::nullopt, options.norm, options.plan};
  if (options.axes) key.axes = *options.axes;
  if (options.s) key.s = std::span(options.s->data(), options.s->size());
  if (options.stream.is_default() && !options.device) {
    if (Array result = run_repeated(key, a, options.out); result.valid()) return result;
  }
  Remembered remembered;
  const bool halved = function.kind == FftKind::complex_to_real;
  std::vector<Axis> axes = axes_of(function.name, detail::rep_of(a).shape, options.s, options.axes, halved);
  if (axes.empty() && function.kind != FftKind::complex) {
    throw ShapeError(std::string(function.name) + ": there are no axes; a real transform has one or more");
  }
  Array result = along(function, a, std::move(axes), options);
  remembered.end(key, a, options.out, result);
  return result;
}

OptionsN general(const Options2& options) {
  return {options.s, options.axes, options.norm, options.out, options.stream, options.device, options.plan};
}

Norm swapped(Norm norm) {
  return norm == Norm::ortho ? norm : norm == Norm::backward ? Norm::forward : Norm::backward;
}

}  // namespace

Array fft(const Array& a, const Options& options) {
  return along_one({"fft", FftKind::complex, false}, a, options);
}
Array ifft(const Array& a, const Options& options) {
  return along_one({"ifft", FftKind::complex, true}, a, options);
}
Array rfft(const Array& a, const Options& options) {
  return along_one({"rfft", FftKind::real_to_complex, false}, a, options);
}
Array irfft(const Array& a, const Options& options) {
  return along_one({"irfft", FftKind::complex_to_real, true}, a, options);
}

Array hfft(const Array& a, const Options& options) {
  backend::Capture::refuse("hfft", "it is no kernel of kiln's; call it before or after the graph");
  Options of_inverse = options;
  of_inverse.norm = swapped(options.norm);
  const bool real = kind(detail::rep_of(a).dtype) != Kind::complex;
  return along_one({"hfft", FftKind::complex_to_real, true},
                   real ? a : math::conjugate(a, {.stream = options.stream, .device = options.device}), of_inverse);
}

Array ihfft(const Array& a, const Options& options) {
  Options of_forward = options;
  of_forward.norm = swapped(options.norm);
  const Array result = along_one({"ihfft", FftKind::real_to_complex, false}, a, of_forward);
  return math::conjugate(result, {.out = result, .stream = options.stream, .device = options.device});
}

Array fft2(const Array& a, const Options2& options) {
  return along_several({"fft2", FftKind::complex, false}, a, general(options));
}
Array ifft2(const Array& a, const Options2& options) {
  return along_several({"ifft2", FftKind::complex, true}, a, general(options));
}
Array rfft2(const Array& a, const Options2& options) {
  return along_several({"rfft2", FftKind::real_to_complex, false}, a, general(options));
}
Array irfft2(const Array& a, const Options2& options) {
  return along_several({"irfft2", FftKind::complex_to_real, true}, a, general(options));
}
Array fftn(const Array& a, const OptionsN& options) {
  return along_several({"fftn", FftKind::complex, false}, a, options);
}
Array ifftn(const Array& a, const OptionsN& options) {
  return along_several({"ifftn", FftKind::complex, true}, a, options);
}
Array rfftn(const Array& a, const OptionsN& options) {
  return along_several({"rfftn", FftKind::real_to_complex, false}, a, options);
}
Array irfftn(const Array& a, const OptionsN& options) {
  return along_several({"irfftn", FftKind::complex_to_real, true}, a, options);
}

}  // namespace kiln::fft

#include "c/transform.hpp"

#include <fmt/format.h>

#include "c/argument_error.hpp"
#include "c/text.hpp"

namespace kiln::c {
namespace {

constexpr Transform kTransforms[] = {
    {"fft.fft", fft::fft, nullptr, nullptr},     {"fft.ifft", fft::ifft, nullptr, nullptr},
    {"fft.rfft", fft::rfft, nullptr, nullptr},   {"fft.irfft", fft::irfft, nullptr, nullptr},
    {"fft.hfft", fft::hfft, nullptr, nullptr},   {"fft.ihfft", fft::ihfft, nullptr, nullptr},
    {"fft.fft2", nullptr, fft::fft2, nullptr},   {"fft.ifft2", nullptr, fft::ifft2, nullptr},
    {"fft.rfft2", nullptr, fft::rfft2, nullptr}, {"fft.irfft2", nullptr, fft::irfft2, nullptr},
    {"fft.fftn", nullptr, nullptr, fft::fftn},   {"fft.ifftn", nullptr, nullptr, fft::ifftn},
    {"fft.rfftn", nullptr, nullptr, fft::rfftn}, {"fft.irfftn", nullptr, nullptr, fft::irfftn},
};

template <class T>
T common(const Array& out, const Options& options) {
  T result;
  result.out = out;
  options.fill_place(result);
  const std::uint32_t norm = options.raw().norm;
  if (norm > KILN_NORM_FORWARD) throw ArgumentError(fmt::format("norm: {} is no kiln_norm", norm), "norm");
  result.norm = norm == KILN_NORM_ORTHO     ? fft::Norm::ortho
                : norm == KILN_NORM_FORWARD ? fft::Norm::forward
                                            : fft::Norm::backward;
  if (options.raw().measure != 0) result.plan = fft::Planning::measure;
  return result;
}

std::optional<Shape> lengths(const Options& options) {
  const kiln_call_options& o = options.raw();
  if (o.lengths == nullptr) {
    if (o.lengths_count != 0) fail_null("lengths");
    return std::nullopt;
  }
  if (o.lengths_count > 64)
    throw ArgumentError(fmt::format("lengths_count: {}; 0 to 64 are possible", o.lengths_count), "lengths_count");
  return Shape(std::span(o.lengths, o.lengths_count));
}

}  // namespace

std::optional<Transform> find_transform(std::string_view name) {
  for (const Transform& transform : kTransforms) {
    if (name == transform.name) return transform;
  }
  return std::nullopt;
}

Array run(const Transform& transform, const Array& a, const Array& out, const Options& options) {
  options.allow(kAxis | kLengths, transform.name);
  if (transform.one != nullptr) {
    auto given = common<fft::Options>(out, options);
    given.axis = options.one_axis(given.axis);
    if (const auto n = lengths(options)) {
      if (n->size() != 1) throw ArgumentError(fmt::format("lengths: {} has one axis", transform.name), "lengths");
      given.n = (*n)[0] == -1 ? std::nullopt : std::optional((*n)[0]);
    }
    return transform.one(a, given);
  }
  if (transform.two != nullptr) {
    auto given = common<fft::Options2>(out, options);
    const Axes axes = options.axes(given.axes);
    given.axes.assign(axes.list().begin(), axes.list().end());
    given.s = lengths(options);
    return transform.two(a, given);
  }
  auto given = common<fft::OptionsN>(out, options);
  if (const Axes axes = options.axes(Axes::all()); !axes.is_all()) given.axes.emplace(axes.list().begin(), axes.list().end());
  given.s = lengths(options);
  return transform.any(a, given);
}

}  // namespace kiln::c

#include "driver.hpp"

#include <map>

namespace conformance {
namespace fft = kiln::fft;

kiln::Array Driver::transform(const std::string& name, const kiln::Array& a, const TransformOptions& options) const {
  using One = kiln::Array (*)(const kiln::Array&, const fft::Options&);
  using Two = kiln::Array (*)(const kiln::Array&, const fft::Options2&);
  using Several = kiln::Array (*)(const kiln::Array&, const fft::OptionsN&);
  static const std::map<std::string, One> one = {{"fft", fft::fft},     {"ifft", fft::ifft}, {"rfft", fft::rfft},
                                                 {"irfft", fft::irfft}, {"hfft", fft::hfft}, {"ihfft", fft::ihfft}};
  static const std::map<std::string, Two> two = {
      {"fft2", fft::fft2}, {"ifft2", fft::ifft2}, {"rfft2", fft::rfft2}, {"irfft2", fft::irfft2}};
  static const std::map<std::string, Several> several = {
      {"fftn", fft::fftn}, {"ifftn", fft::ifftn}, {"rfftn", fft::rfftn}, {"irfftn", fft::irfftn}};
  if (const auto found = one.find(name); found != one.end()) {
    return found->second(a, {.n = options.points ? std::optional(options.points->at(0)) : std::nullopt,
                             .axis = options.axes ? options.axes->at(0) : -1,
                             .norm = options.norm,
                             .out = options.out,
                             .stream = options.stream,
                             .device = options.device});
  }
  const auto points = options.points ? std::optional<kiln::Shape>(*options.points) : std::nullopt;
  if (const auto found = two.find(name); found != two.end()) {
    return found->second(a, {.s = points,
                             .axes = options.axes.value_or(std::vector<int>{-2, -1}),
                             .norm = options.norm,
                             .out = options.out,
                             .stream = options.stream,
                             .device = options.device});
  }
  return several.at(name)(a, {.s = points,
                              .axes = options.axes,
                              .norm = options.norm,
                              .out = options.out,
                              .stream = options.stream,
                              .device = options.device});
}

}  // namespace conformance

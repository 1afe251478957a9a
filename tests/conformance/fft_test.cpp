// kiln::fft against numpy.fft's answers (golden/make_fft.py), on every device that has a library for it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "driver.hpp"
#include "golden_call.hpp"
#include "kiln/error.hpp"
#include "kiln/fft.hpp"
#include "kiln/math.hpp"
#include "report.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
namespace fft = kiln::fft;

namespace {

fft::Norm norm_of(const GoldenCall& call) {
  if (!call.has("norm")) return fft::Norm::backward;
  const std::string& norm = call.fields.at("norm");
  return norm == "ortho" ? fft::Norm::ortho : norm == "forward" ? fft::Norm::forward : fft::Norm::backward;
}

std::optional<std::vector<int>> axes_of(const GoldenCall& call) {
  if (!call.has("axes") && !call.has("axis")) return std::nullopt;
  std::vector<int> axes;
  for (const std::int64_t axis : call.numbers(call.has("axis") ? "axis" : "axes")) axes.push_back(static_cast<int>(axis));
  return axes;
}

TransformOptions options_of(const GoldenCall& call, const kiln::Stream& stream) {
  TransformOptions options{.axes = axes_of(call), .norm = norm_of(call), .stream = stream};
  const char* const points = call.has("n") ? "n" : "s";
  if (call.has(points)) options.points = call.numbers(points);
  return options;
}

Array result_of(const GoldenCall& call, const Target& target, const Driver& driver) {
  const kiln::Stream stream = target.options().stream;
  if (call.ufunc == "fftfreq") return fft::fftfreq(call.numbers("n").at(0), std::stod(call.fields.at("d")));
  if (call.ufunc == "rfftfreq") return fft::rfftfreq(call.numbers("n").at(0), std::stod(call.fields.at("d")));
  const Array a = GoldenOperand::parse(call.fields.at("a")).make(target);
  if (call.ufunc == "fftshift") return fft::fftshift(a, {.axes = axes_of(call)});
  if (call.ufunc == "ifftshift") return fft::ifftshift(a, {.axes = axes_of(call)});
  TransformOptions options = options_of(call, stream);
  if (call.has("out") && call.fields.at("out") == "a") {
    options.out = a;
  } else if (call.has("out")) {
    // Of an error there is no shape: what is refused is the dtype.
    const kiln::Shape shape =
        call.results.empty() ? driver.transform(call.ufunc, a, options).shape() : call.results.at(0).shape;
    options.out = target.place(Array::zeros(shape, dtype_named(call.fields.at("out"))));
  }
  return driver.transform(call.ufunc, a, options);
}

/// What rounding may do to a result: relative to the largest value, which every one of them is a sum of.
long double tolerance_of(const GoldenCall& call) {
  const auto epsilon = [](DType dtype) -> long double {
    switch (dtype) {
      case DType::float16:
        return 0x1p-10L;
      case DType::float32:
      case DType::complex64:
        return std::numeric_limits<float>::epsilon();
      default:
        return std::numeric_limits<double>::epsilon();
    }
  };
  const GoldenResult& result = call.results.at(0);
  const DType input = call.has("a") ? GoldenOperand::parse(call.fields.at("a")).dtype : DType::float64;
  const bool single = input == DType::float16 || input == DType::float32 || input == DType::complex64;
  // NumPy rounds the factor of the norm to float16.
  const bool coarse = input == DType::float16;
  long double largest = 0;
  for (const Exact& value : result.values) largest = std::max(largest, std::abs(value));
  const auto count = static_cast<long double>(result.values.size() + 2);
  return largest * std::max(epsilon(coarse ? input : result.dtype), single ? epsilon(DType::float32) : 0) *
         (2 + std::log2(count));
}

void check(const GoldenCall& call, const Target& target, const Driver& driver) {
  INFO(call.text, " ", driver.name());
  Array result;
  try {
    result = target.fetch(result_of(call, target, driver));
  } catch (const kiln::Error& error) {
    const bool refused = is_refusal(error) || call.ufunc.ends_with("freq");
    if (!call.results.empty() || !refused) FAIL_CHECK(std::string(error.what()));
    return;
  }
  if (call.results.empty()) {
    FAIL_CHECK("NumPy refuses it, kiln gave ", to_string(result));
    return;
  }
  CHECK(result.dtype() == call.results[0].dtype);
  CHECK(result.shape() == call.results[0].shape);
  CHECK(difference(read(result), call.results[0].values, 0, tolerance_of(call)) == "");
}

/// Whether there is a library for the device: without one the case counts as not run.
bool has_library(const Target& target) {
  try {
    static_cast<void>(target.fetch(fft::fft(target.place(Array::from<float>({1})), {.stream = target.options().stream})));
    return true;
  } catch (const kiln::DeviceError& error) {
    const std::string text = error.what();
    if (text.find("was not found") == std::string::npos && text.find("needs a GPU") == std::string::npos) throw;
  }
  note_not_run(target.device().is_cpu() ? "fftw" : "fft-library");
  return false;
}

}  // namespace

TEST_CASE("fft: NumPy's answers") {
  on_every_device([](const Target& target) {
    if (!has_library(target)) return;
    for (const Golden& line : golden("fft.txt", target)) {
      for (const Driver* const driver : drivers()) check(GoldenCall::parse(line.text), target, *driver);
    }
  });
}

TEST_CASE("fft: work of a stream is done in its order, and memory lives as long as it is used") {
  on_every_device([](const Target& target) {
    if (!has_library(target)) return;
    const kiln::Stream stream = target.options().stream;
    Array a = target.place(Array::from<std::complex<float>>({1, 2, 3, 4, 5, 6}, kiln::Shape{2, 3}));
    for (int i = 0; i < 3; ++i) {
      // The first array of each round is gone before its transform has begun.
      a = fft::ifft(fft::fft(a, {.stream = stream}), {.stream = stream});
      a = kiln::math::add(a, 1.0F, {.stream = stream});
    }
    CHECK(difference(read(target.fetch(a)), {4, 5, 6, 7, 8, 9}, 0, 1e-5L) == "");
  });
}

TEST_CASE("fft: convolution in place") {
  on_every_device([](const Target& target) {
    if (!has_library(target)) return;
    const kiln::Stream stream = target.options().stream;
    const Array signal = target.place(Array::from<std::complex<float>>({1, 2, 3, 4, 0, 0, 0, 0}));
    const Array kernel = target.place(Array::from<std::complex<float>>({1, 1, 1, 0, 0, 0, 0, 0}));
    for (const Array& a : {signal, kernel}) fft::fft(a, {.out = a, .stream = stream});
    kiln::math::multiply(signal, kernel, {.out = signal, .stream = stream});
    fft::ifft(signal, {.out = signal, .stream = stream});
    CHECK(difference(read(target.fetch(signal)), {1, 3, 6, 9, 7, 4, 0, 0}, 0, 1e-5L) == "");
  });
}

TEST_CASE("fft: what cannot be transformed") {
  on_every_device(
      [](const Target& target) {
        if (!has_library(target)) return;
        const Array a = target.place(Array::zeros({2, 3}, DType::complex64));
        const auto options = [&](const Array& out) { return fft::Options{.out = out, .stream = target.options().stream}; };
        const auto zeros = [&](const kiln::Shape& shape, DType dtype) { return target.place(Array::zeros(shape, dtype)); };
        CHECK(message_of<kiln::ShapeError>([&] { fft::fft(a, options(zeros({3, 3}, DType::complex64))); }) ==
              "fft: .out has shape (3, 3), the result has shape (2, 3); .out is never broadcast");
        CHECK(message_of<kiln::TypeError>([&] { fft::fft(a, options(zeros({2, 3}, DType::float32))); }) ==
              "fft: .out is float32, the result is complex64; give an .out of that dtype");
        CHECK(message_of<kiln::TypeError>([&] { fft::fft(a, options(a.as_read_only())); }) ==
              "fft: .out is read-only; give a writable array as .out");
        // In place with strides of 0: the three columns are one.
        const Array same =
            Array::view(a.data(), {2, 3}, DType::complex64,
                        {.strides = kiln::Strides{24, 0}, .device = a.is_host() ? std::nullopt : std::optional(a.device())});
        CHECK(message_of<kiln::ShapeError>([&] { fft::fft(a, options(same)); }) ==
              "fft: elements of .out share memory with one another; give an .out whose elements are distinct");
      },
      {Mode::host, Mode::device});
}

TEST_CASE("fft: real numbers may begin anywhere") {
  on_every_device([&](const Target& target) {
    if (!has_library(target)) return;
    std::vector<float> values;
    for (int i = 0; i < 2 * 5 * 3 + 1; ++i) values.push_back(static_cast<float>(i * i % 17) - 4);
    const Array a = target.place(Array::from(values));
    const auto same = [&](const Array& x, const Array& y) {
      const std::vector<double> one = list_of(target.fetch(x));
      const std::vector<double> other = list_of(target.fetch(y));
      REQUIRE(one.size() == other.size());
      for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i] == doctest::Approx(other[i]).epsilon(1e-5));
    };
    const kiln::fft::Options on{.stream = target.options().stream};
    // At an odd element, and along an axis in the middle, whose transforms begin at odd ones.
    const std::vector<kiln::Index> behind_first{kiln::Slice{1, 31}};
    const Array odd = a.slice(behind_first);
    const Array cube = odd.reshape({2, 5, 3});
    same(fft::irfft(fft::rfft(odd, on), {.n = 30, .stream = on.stream}), odd);
    same(fft::irfft(fft::rfft(cube, {.axis = 1, .stream = on.stream}), {.n = 5, .axis = 1, .stream = on.stream}), cube);
    const Array result = target.place(Array::full({31}, 0.0F));
    fft::irfft(fft::rfft(odd, on), {.n = 30, .out = result.slice(behind_first), .stream = on.stream});
    same(result.slice(behind_first), odd);
  });
}

TEST_CASE("fft: irfftn along several axes as NumPy goes through them") {
  on_every_device([&](const Target& target) {
    if (!has_library(target)) return;
    const kiln::Stream stream = target.options().stream;
    const Array half = target.place(Array::full({4, 3}, 1.0F).astype(DType::float16));
    CHECK(fft::irfft(half, {.stream = stream}).dtype() == DType::float16);
    CHECK(fft::irfftn(half, {.axes = std::vector<int>{1}, .stream = stream}).dtype() == DType::float16);
    CHECK(fft::irfft2(half, {.stream = stream}).dtype() == DType::float32);  // numpy.fft.irfft2 of NumPy 2.4: float32
    std::vector<double> values;
    for (int i = 0; i < 8; ++i) values.push_back(i + 0.5);
    const Array a = target.place(Array::from(values));
    const Array at_once = fft::irfftn(a, {.s = kiln::Shape{4, 2, 6}, .axes = std::vector<int>{0, 0, 0}, .stream = stream});
    const Array by_one =
        fft::irfft(fft::ifft(fft::ifft(a, {.n = 4, .stream = stream}), {.n = 2, .stream = stream}), {.n = 6, .stream = stream});
    const std::vector<double> got = list_of(target.fetch(at_once));
    const std::vector<double> expected = list_of(target.fetch(by_one));
    REQUIRE(got.size() == 6);
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(expected[i]));
  });
}

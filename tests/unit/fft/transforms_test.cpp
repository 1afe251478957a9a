// Transforms on the CPU: against the definition in long double, and what holds for all of them. NumPy's answers are the
// conformance suite's.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>
#include <random>
#include <thread>

#include "kiln/kiln.hpp"

using namespace kiln;

namespace {

using Exact = std::complex<long double>;
using Complexes = std::vector<std::complex<double>>;

bool has_fftw() {
  try {
    fft::fft(Array::from<float>({1}), {.stream = {}});
    fft::fft(Array::from<double>({1}), {.stream = {}});
    return true;
  } catch (const DeviceError&) {
    std::printf("KILN-NOT-RUN fftw 1\n");
    return false;
  }
}

Complexes random_values(std::size_t count, unsigned seed) {
  std::mt19937 source(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Complexes values(count);
  for (auto& value : values) value = {uniform(source), uniform(source)};
  return values;
}

std::vector<Exact> by_definition(const Complexes& values, int sign) {
  const std::size_t n = values.size();
  std::vector<Exact> roots(n);
  std::vector<Exact> result(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    roots[k] = {std::cos(angle), static_cast<long double>(sign) * std::sin(angle)};
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) result[k] += Exact(values[j]) * roots[j * k % n];
  }
  return result;
}

/// The largest difference, relative to the root of the mean square of what is expected.
long double error_of(const Array& got, const std::vector<Exact>& expected) {
  const auto values = got.to_vector<std::complex<double>>();
  REQUIRE(values.size() == expected.size());
  long double largest = 0;
  long double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest = std::max(largest, std::abs(Exact(values[i]) - expected[i]));
    squares += std::norm(expected[i]);
  }
  return largest / std::sqrt(squares / static_cast<long double>(values.size()) + 1e-300L);
}

constexpr long double kDouble = 4e-15L;
constexpr long double kSingle = 2e-6L;

std::vector<Exact> exact(const Array& a) {
  const auto values = a.to_vector<std::complex<double>>();
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("fft: the definition, for small lengths and primes") {
  if (!has_fftw()) return;
  std::vector<std::size_t> lengths;
  for (std::size_t n = 1; n <= 40; ++n) lengths.push_back(n);
  for (const std::size_t n : {53UL, 64UL, 97UL, 100UL, 127UL, 128UL, 211UL, 256UL, 509UL, 1009UL}) lengths.push_back(n);
  for (const std::size_t n : lengths) {
    CAPTURE(n);
    const Complexes values = random_values(n, static_cast<unsigned>(n));
    const Array a = Array::from(values);
    const std::vector<Exact> expected = by_definition(values, -1);
    CHECK(error_of(fft::fft(a), expected) < kDouble);
    CHECK(error_of(fft::fft(a.astype(DType::complex64)).astype(DType::complex128), expected) < kSingle);
    std::vector<Exact> inverse = by_definition(values, 1);
    for (Exact& value : inverse) value /= static_cast<long double>(n);
    CHECK(error_of(fft::ifft(a), inverse) < kDouble);
    CHECK(error_of(fft::ifft(fft::fft(a)), exact(a)) < kDouble);
    const Array real = math::real(a);
    const auto size = static_cast<std::int64_t>(n);
    CHECK(error_of(fft::irfft(fft::rfft(real), {.n = size}), exact(real)) < kDouble);
    CHECK(error_of(fft::rfft(real), exact(fft::fft(real)[Slice{0, size / 2 + 1}])) < kDouble);
  }
}

TEST_CASE("fft: Parseval and linearity") {
  if (!has_fftw()) return;
  for (const std::size_t n : {12UL, 1000UL, 4096UL}) {
    const Array a = Array::from(random_values(n, 1));
    const Array b = Array::from(random_values(n, 2));
    const auto energy = [](const Array& x) {
      long double sum = 0;
      for (const auto& value : x.to_vector<std::complex<double>>()) sum += std::norm(Exact(value));
      return sum;
    };
    CHECK(std::abs(energy(fft::fft(a, {.norm = fft::Norm::ortho})) / energy(a) - 1) < 1e-14L);
    const Array sum = math::add(math::multiply(fft::fft(a), 3.0), fft::fft(b));
    CHECK(error_of(fft::fft(math::add(math::multiply(a, 3.0), b)), exact(sum)) < kDouble);
  }
}

TEST_CASE("fft: layouts, in place and apart") {
  if (!has_fftw()) return;
  const Array base = Array::from(random_values(std::size_t{6 * 10 * 14}, 5), Shape{6, 10, 14});
  const Array views[] = {base, base.transpose(), base[{Slice{.step = -1}, Slice{1, 9, 2}, Slice{.step = -3}}],
                         base[{0, all, all}].broadcast_to({5, 10, 14}), base.transpose({1, 2, 0})};
  for (const Array& view : views) {
    const Array packed = view.copy();
    for (const int axis : {0, 1, 2}) {
      CHECK(error_of(fft::fft(view, {.axis = axis}), exact(fft::fft(packed, {.axis = axis}))) < kDouble);
      const Array ortho = fft::fft(view, {.axis = axis, .norm = fft::Norm::ortho});
      CHECK(error_of(fft::ifft(ortho, {.axis = axis, .norm = fft::Norm::ortho}), exact(packed)) < kDouble);
    }
    CHECK(error_of(fft::ifftn(fft::fftn(view)), exact(packed)) < kDouble);
    CHECK(error_of(fft::irfftn(fft::rfftn(math::real(view)), {.s = packed.shape()}), exact(math::real(packed))) < kDouble);
  }
  // Into a view that runs backwards, and onto the input itself.
  const Array expected = fft::fft2(base);
  const Array room = Array::zeros({6, 10, 28}, DType::complex128);
  const Array out = room[{Slice{.step = -1}, all, Slice{.step = 2}}];
  fft::fft2(base, {.out = out});
  CHECK(error_of(out, exact(expected)) < kDouble);
  const Array self = base.copy();
  fft::fft2(self, {.out = self});
  CHECK(error_of(self, exact(expected)) < kDouble);
  const Array reversed = base.copy();
  fft::fft2(reversed[{Slice{.step = -1}, all, all}], {.out = reversed});
  CHECK(error_of(reversed, exact(fft::fft2(base[{Slice{.step = -1}, all, all}]))) < kDouble);
}

namespace {

/// An array whose axes lie in any order, with gaps, and backwards along some.
Array any_layout(const Shape& shape, DType dtype, std::mt19937& source) {
  const auto one_in = [&](unsigned n) { return source() % n == 0; };
  Dims order(shape.size(), 0);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), source);
  Shape packed(shape.size(), 0);
  Dims back(shape.size(), 0);
  std::vector<Index> index(shape.size(), all);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto axis = static_cast<std::size_t>(order[i]);
    const std::int64_t step = one_in(4) ? 2 : 1;
    packed[i] = shape[axis] * step;
    back[axis] = static_cast<std::int64_t>(i);
    index[axis] = Slice{.step = one_in(3) ? -step : step};
  }
  return Array::zeros(packed, dtype).transpose(back).slice(index);
}

/// "" where the transform of one random layout to another is that of packed arrays.
std::string wrong_in_layouts(std::mt19937& source) {
  const auto below = [&](unsigned n) { return static_cast<std::int64_t>(source() % n); };
  Shape shape(static_cast<std::size_t>(1 + below(4)), 0);
  for (auto& extent : shape) extent = 1 + below(below(4) == 0 ? 40 : 9);
  const bool real = source() % 3 == 0;
  Array a = any_layout(shape, real ? DType::float64 : DType::complex128, source);
  const Complexes values = random_values(static_cast<std::size_t>(a.size()), static_cast<unsigned>(source()));
  const Array packed = Array::from(values, shape);
  if (real) {
    a.assign(math::real(packed));
  } else {
    a.assign(packed);
  }
  std::vector<int> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::shuffle(axes.begin(), axes.end(), source);
  axes.resize(static_cast<std::size_t>(1 + below(static_cast<unsigned>(axes.size()))));
  Shape lengths(axes.size(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) lengths[i] = shape[static_cast<std::size_t>(axes[i])];
  const auto transform = [&](const Array& of, const Array& out) {
    const fft::OptionsN options{.axes = axes, .out = out};
    return real ? fft::rfftn(of, options) : fft::fftn(of, options);
  };
  const Array expected = transform(a.copy(), {});
  const bool in_place = !real && source() % 2 == 0;
  const Array out = in_place ? a : any_layout(expected.shape(), DType::complex128, source);
  const Array input = a.copy();
  const Array got = transform(a, out).copy();
  const Array again =
      real ? fft::irfftn(out, {.s = lengths, .axes = axes, .out = a}) : fft::ifftn(out, {.axes = axes, .out = a});
  if (error_of(got, exact(expected)) > kDouble) return "forwards";
  if (error_of(again.copy(), exact(input)) > kDouble) return "back";
  return "";
}

}  // namespace

TEST_CASE("fft: any layouts, axes and places") {
  if (!has_fftw()) return;
  // In a child, since FFTW's planner may fill the stack.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::mt19937 source(7);
    for (int i = 0; i < 300; ++i) {
      const std::string wrong = wrong_in_layouts(source);
      if (wrong.empty()) continue;
      std::fprintf(stderr, "layout %d is wrong %s\n", i, wrong.c_str());
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("fft: an .out that overlaps the input otherwise") {
  if (!has_fftw()) return;
  const Array memory = Array::from(random_values(40, 9));
  const Array a = memory[Slice{0, 30}];
  const Array expected = fft::fft(a.copy());
  fft::fft(a, {.out = memory[Slice{10, 40}]});
  CHECK(error_of(memory[Slice{10, 40}], exact(expected)) < kDouble);
  // The complex half of a real array in its own memory, as FFTW's users have it.
  const Array reals = Array::from(std::vector<double>{1, 2, 3, 4, 5, 6, 0, 0});
  const Array half = Array::view(reals.data(), {4}, DType::complex128, {});
  const Array wanted = fft::rfft(reals[Slice{0, 6}].copy());
  fft::rfft(reals[Slice{0, 6}], {.out = half});
  CHECK(error_of(half, exact(wanted)) < kDouble);
  fft::irfft(half, {.n = 6, .out = reals[Slice{0, 6}]});
  CHECK(error_of(reals[Slice{0, 6}], {1, 2, 3, 4, 5, 6}) < kDouble);
}

TEST_CASE("fft: large arrays, whose factor is multiplied in blocks and by threads") {
  if (!has_fftw()) return;
  for (const Shape& shape : {Shape{1 << 19}, Shape{300, 1500}, Shape{1500, 300}, Shape{7, 64, 1000}}) {
    CAPTURE(to_string(shape));
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    const Array a = Array::from(random_values(static_cast<std::size_t>(size), 4), shape);
    for (int axis = 0; axis < a.ndim(); ++axis) {
      CHECK(error_of(fft::ifft(fft::fft(a, {.axis = axis}), {.axis = axis}), exact(a)) < kDouble);
      CHECK(error_of(
                fft::ifft(fft::fft(a, {.axis = axis, .norm = fft::Norm::forward}), {.axis = axis, .norm = fft::Norm::forward}),
                exact(a)) < kDouble);
    }
    CHECK(error_of(fft::ifftn(fft::fftn(a)), exact(a)) < kDouble);
    const Array real = math::real(a);
    CHECK(error_of(fft::irfftn(fft::rfftn(real, {.norm = fft::Norm::ortho}), {.s = shape, .norm = fft::Norm::ortho}),
                   exact(real)) < kDouble);
  }
}

TEST_CASE("fft: the input is kept, also where a plan is measured") {
  if (!has_fftw()) return;
  const Array a = Array::from(random_values(96, 3), Shape{8, 12});
  const std::vector<Exact> before = exact(a);
  for (const fft::Planning planning : {fft::Planning::estimate, fft::Planning::measure}) {
    const Array forward = fft::fft(a, {.plan = planning});
    fft::irfft(a, {.plan = planning});
    fft::irfft2(a, {.plan = planning});
    fft::ifft2(a, {.plan = planning});
    CHECK(error_of(a, before) == 0);
    CHECK(error_of(fft::ifft(forward, {.out = forward, .plan = planning}), before) < kDouble);
  }
}

TEST_CASE("fft: a call that is made again") {
  if (!has_fftw()) return;
  const Array a = Array::from(random_values(64, 21));
  const Array b = Array::from(random_values(64, 22));
  const Array out = Array::zeros({64}, DType::complex128);
  const std::vector<Exact> of_a = by_definition(a.to_vector<std::complex<double>>(), -1);
  const std::vector<Exact> of_b = by_definition(b.to_vector<std::complex<double>>(), -1);
  for (int i = 0; i < 3; ++i) {
    fft::fft(a, {.out = out});
    CHECK(error_of(out, of_a) < kDouble);
    fft::fft(b, {.out = out});
    CHECK(error_of(out, of_b) < kDouble);
    CHECK(error_of(fft::fft(b), of_b) < kDouble);
    CHECK(error_of(fft::ifft(fft::fft(a)), exact(a)) < kDouble);
    CHECK(error_of(fft::ifftn(fft::fftn(a, {.norm = fft::Norm::ortho}), {.norm = fft::Norm::ortho}), exact(a)) < kDouble);
  }
  // Others that look like it: other points, at an address that is aligned otherwise, in place, in memory of which a part is the
  // input's.
  CHECK(fft::fft(a, {.n = 32}).shape() == Shape{32});
  const Array memory = Array::zeros({130}, DType::complex128);
  for (const std::int64_t begin : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}}) {
    const Array shifted = memory[Slice{begin, begin + 64}];
    fft::fft(a, {.out = shifted});
    CHECK(error_of(shifted, of_a) < kDouble);
    const Array near = memory[Slice{begin + 30, begin + 94}];
    shifted.assign(a);
    fft::fft(shifted, {.out = near});
    CHECK(error_of(near, of_a) < kDouble);
    shifted.assign(a);
    fft::fft(shifted, {.out = shifted});
    CHECK(error_of(shifted, of_a) < kDouble);
  }
  CHECK_THROWS_AS(fft::fft(a, {.out = out.as_read_only()}), TypeError);
  // In place first, then apart.
  const Array c = Array::from(random_values(4096, 23));
  const std::vector<Exact> of_c = exact(fft::fft(c));
  const Array self = c.copy();
  const Array apart = Array::zeros({4096}, DType::complex128);
  fft::fft(self, {.out = self});
  fft::fft(c, {.out = apart});
  CHECK(error_of(self, of_c) < kDouble);
  CHECK(error_of(apart, of_c) < kDouble);
}

TEST_CASE("fft: threads that plan and transform at once") {
  if (!has_fftw()) return;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const std::int64_t n = 1 + (i * 7 + t) % 90;  // more than are kept
        const Array a = Array::full({n}, std::complex<double>(1, 0));
        if (std::abs(fft::fft(a).as<std::complex<double>>()[0] - static_cast<double>(n)) > 1e-9) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("fft: a child that is forked while others plan transforms in one thread") {
  if (!has_fftw()) return;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (std::int64_t n = 1; !stop; n = n % 900 + 1) fft::fft(Array::zeros({n + 1000 * t}, DType::complex64));
    });
  }
  const Array a = Array::full({1 << 17}, std::complex<double>(1, 0));
  fft::fft(a);  // by threads, which the child has not
  int failed = 0;
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // where it waits for a lock that nobody gives back
      const double first = fft::fft(a).as<std::complex<double>>()[0].real();
      _exit(std::abs(first - (1 << 17)) < 1e-6 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    failed += status != 0 ? 1 : 0;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(failed == 0);
}

TEST_CASE("fft: on a stream of the CPU") {
  if (!has_fftw()) return;
  const Stream stream{Device::cpu({.threads = 1})};
  Array a = Array::from(random_values(60, 8), Shape{5, 12});
  const std::vector<Exact> expected = exact(fft::ifft(fft::fft(a, {.n = 16})));
  a = fft::ifft(fft::fft(a, {.n = 16, .stream = stream}), {.stream = stream});
  stream.synchronize();
  CHECK(error_of(a, expected) == 0);
}

TEST_CASE("fft: errors say what and where") {
  const Array a = Array::zeros({2, 3}, DType::float32);
  const auto shape_error = [](auto call) -> std::string {
    try {
      call();
    } catch (const ShapeError& error) {
      return error.what();
    }
    return "no ShapeError";
  };
  CHECK(shape_error([&] { fft::fft(a, {.n = 0}); }) ==
        "fft: invalid number of FFT data points (0) along axis 1 of an array of shape (2, 3); a transform has 1 or more");
  CHECK(shape_error([&] { fft::irfft(Array::zeros({1}, DType::complex64)); }) ==
        "irfft: invalid number of FFT data points (0) along axis 0 of an array of shape (1,); a transform has 1 or more");
  CHECK(shape_error([&] { fft::fft(Array::zeros({2, 0}, DType::int8)); }) ==
        "fft: invalid number of FFT data points (0) along axis 1 of an array of shape (2, 0); a transform has 1 or more");
  CHECK(shape_error([&] { fft::fft(a, {.axis = 2}); }) ==
        "fft: axis 2 does not exist in an array of shape (2, 3); give -2 to 1");
  CHECK(shape_error([&] { fft::fft(Array::scalar(1.0F)); }) ==
        "fft: axis -1 does not exist in an array of shape (); it has no axes");
  CHECK(shape_error([&] { fft::fft2(Array::zeros({3}, DType::float32)); }) ==
        "fft2: axis -2 does not exist in an array of shape (3,); give -1 to 0");
  CHECK(shape_error([&] { fft::fftn(a, {.s = Shape{4}, .axes = {{0, 1}}}); }) ==
        "fftn: .s is (4,), and there are 2 axes; give a number of points for each axis");
  CHECK(shape_error([&] { fft::rfftn(a, {.axes = std::vector<int>{}}); }) ==
        "rfftn: there are no axes; a real transform has one or more");
  CHECK(shape_error([&] { static_cast<void>(fft::fftfreq(0)); }) == "fftfreq: n is 0; give a number of points of 1 or more");
  CHECK(shape_error([&] { static_cast<void>(fft::fftshift(a, {.axes = {{5}}})); }) ==
        "fftshift: axis 5 does not exist in an array of shape (2, 3); give -2 to 1");
  CHECK_THROWS_WITH_AS(static_cast<void>(fft::rfftfreq(4, 0)), "rfftfreq: d is 0; give the distance of the points", Error);
  CHECK_THROWS_WITH_AS(
      fft::rfft(Array::zeros({2}, DType::complex64)),
      "rfft: the input is complex64, and this is a transform of real numbers; transform with fft(), or give the "
      "real() part",
      TypeError);
  CHECK_THROWS_AS(fft::fft(Array()), TypeError);
}

TEST_CASE("fft: lengths beyond memory are errors") {
  const Array a = Array::zeros({2}, DType::float32);
  CHECK_THROWS_AS(fft::fft(a, {.n = std::int64_t{1} << 61}), ShapeError);
  CHECK_THROWS_AS(fft::fft(a, {.n = INT64_MAX}), ShapeError);
  CHECK_THROWS_AS(fft::rfft(a, {.n = INT64_MAX}), Error);
}

TEST_CASE("fft: along no axes") {
  if (!has_fftw()) return;
  const Array a = Array::from<float>({1, 2, 3});
  const Array result = fft::fftn(a, {.axes = std::vector<int>{}});
  CHECK(result.dtype() == DType::complex64);
  CHECK(error_of(result.astype(DType::complex128), {1, 2, 3}) == 0);
}

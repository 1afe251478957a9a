// "constant" scalars, whose values are part of the kernel: the results are those of ordinary arguments, the machine code is
// another.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <thread>
#include <type_traits>
#include <vector>

#include "devices.hpp"
#include "kiln/cache.hpp"
#include "kiln/chunked.hpp"
#include "kiln/error.hpp"
#include "kiln/fuse.hpp"
#include "kiln/graph.hpp"
#include "kiln/inspect.hpp"
#include "kiln/kernel.hpp"
#include "kiln/math.hpp"
#include "kiln/profile.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;

namespace {

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
std::vector<T> edge_values() {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    return {T(0), T(5), T(-1), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  } else if constexpr (sizeof(T) == 2) {
    std::vector<T> values;
    // 0, -0, 1, subnormal, infinite, -infinite, and a NaN with a payload, of either format.
    for (const int bits : {0, 0x8000, 0x3c00, 0x3f80, 1, 0x7c00, 0x7f80, 0xff80, 0xfe01})
      values.push_back(T::from_bits(static_cast<std::uint16_t>(bits)));
    return values;
  } else if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    const T nan = from_bits<T>(sizeof(T) == 4 ? 0x7fc12345 : 0x7ff8000012345678);
    return {T(0), -T(0), T(0.1), T(-2.5), Limits::denorm_min(), Limits::max(), Limits::infinity(), -Limits::infinity(), nan};
  } else {
    using Part = typename T::value_type;
    return {T(Part(0.1), Part(-0.0)), T(INFINITY, Part(-2)), T(std::numeric_limits<Part>::denorm_min(), 0)};
  }
}

/// How many dtypes each target is compiled for would be too much for an interpreter: all kinds of bits are among these.
constexpr DType kDTypes[] = {DType::bool_,    DType::int8,    DType::int64,   DType::uint64,    DType::float16,
                             DType::bfloat16, DType::float32, DType::float64, DType::complex64, DType::complex128};

const std::string kPower = "T r = 1; for (int32 i = 0; i < n; ++i) r *= x; return r;";

kiln::Ufunc power(const kiln::Cache& cache, int most = 16) {
  return kiln::vectorize({.name = "power",
                          .signatures = {"T(T x, constant int32 n)"},
                          .body = unique_comment() + kPower,
                          .compile = {.constant_variants = most, .cache = cache}});
}

kiln::Cache fresh_cache() {
  return kiln::Cache(kiln::CacheOptions{.directory = ""});
}

Array numbers(const Target& target) {
  return target.place(Array::from(std::vector<float>{-2, 0.5F, 1, 3}));
}

}  // namespace

TEST_CASE("constants: every bit is that of an ordinary argument, for all dtypes and edge values") {
  const std::string body = "return c;";
  const kiln::Ufunc plain = kiln::vectorize({.name = "give", .signatures = {"T(T x, T c)"}, .body = body});
  on_every_device(
      [&](const Target& target) {
        for (const DType dtype : kDTypes) {
          CAPTURE(kiln::name(dtype));
          const Array x = target.place(Array::zeros({3}, dtype));
          with_type(dtype, [&]<class T>(std::type_identity<T>) {
            for (const T value : edge_values<T>()) {
              // A function for each value: no limit is near.
              const kiln::Ufunc constant =
                  kiln::vectorize({.name = "give", .signatures = {"T(T x, constant T c)"}, .body = body});
              const Array expected = target.fetch(target.call(plain, {x, value}));
              const Array got = target.fetch(target.call(constant, {x, value}));
              CHECK(same_bits(got, expected));
            }
          });
        }
      },
      {Mode::device});
}

TEST_CASE("constants: arithmetic with them is arithmetic with arguments") {
  const std::string body = "T s = x + c; T p = x * c; return s * p - c;";
  const kiln::Ufunc plain = kiln::vectorize({.name = "mix", .signatures = {"T(T x, T c)"}, .body = body});
  const kiln::Ufunc constant = kiln::vectorize({.name = "mix", .signatures = {"T(T x, constant T c)"}, .body = body});
  on_every_device(
      [&](const Target& target) {
        for (const DType dtype : {DType::int64, DType::float16, DType::float32, DType::float64, DType::complex64}) {
          CAPTURE(kiln::name(dtype));
          std::vector<double> list;
          for (int i = -20; i < 20; ++i) list.push_back(i * 0.37);
          const Array x = target.place(Array::from(list).astype(dtype));
          for (const int value : {-7, 0, 3}) {
            CHECK(same_bits(target.fetch(target.call(constant, {x, value})), target.fetch(target.call(plain, {x, value}))));
          }
        }
      },
      {Mode::device, Mode::host});
}

TEST_CASE("constants: in every kind of function, converted to the parameter's dtype first") {
  on_every_device([&](const Target& target) {
    const kiln::Stream stream = target.options().stream;
    const kiln::Cache cache = fresh_cache();
    const Array x = numbers(target);
    const kiln::Ufunc f = power(cache);
    CHECK(list_of(target.fetch(target.call(f, {x, 3}))) == std::vector<double>{-8, 0.125, 1, 27});
    CHECK(list_of(target.fetch(target.call(f, {x, 2}))) == std::vector<double>{4, 0.25, 1, 9});
    const auto kernels = cache.stats().compiles;
    CHECK(kernels == 2);
    for (const kiln::Arg& two : {kiln::Arg(std::int64_t{2}), kiln::Arg(std::uint8_t{2})}) target.call(f, {x, two});
    CHECK(cache.stats().compiles == kernels);
    CHECK(f.resolve({x, 3}, {.stream = stream}).loop == "float32(float32 x, constant int32 n) with n = 3");

    const kiln::Gufunc box = kiln::guvectorize({.name = "box",
                                                .layout = "(n),()->(n)",
                                                .signatures = {"void(float32[:] x, constant int32 r, float32[:] y)"},
                                                .body = "for (index i = 0; i < n; ++i) { y(i) = 0; for (int32 k = -r; k <= r; "
                                                        "++k) if (i + k >= 0 && i + k < n) y(i) += x(i + k); }"});
    CHECK(list_of(target.fetch(box({x, 1}, {.stream = stream}))) == std::vector<double>{-1.5, -0.5, 4.5, 4});
    CHECK(list_of(target.fetch(box({x, 0}, {.stream = stream}))) == std::vector<double>{-2, 0.5, 1, 3});
    const kiln::GufuncResolution resolved = box.resolve({x, 1}, {.stream = stream});
    CHECK(resolved.loop == "void(float32[:] x, constant int32 r, float32[:] y) with r = 1");
    CHECK(std::ranges::find(resolved.constants, "r = 1") != resolved.constants.end());

    const kiln::Reduction sum = kiln::reduction({.name = "sum_of_powers",
                                                 .signatures = {"float64(float32 x, constant int32 n)"},
                                                 .map = "float64 r = 1; for (int32 i = 0; i < n; ++i) r *= x; return r;",
                                                 .reduce = "return a + b;",
                                                 .identity = "0"});
    CHECK(target.fetch(sum({x, 2}, reduction_on(target))).item<double>() == 14.25);
    CHECK(target.fetch(sum({x, 3}, reduction_on(target))).item<double>() == 20.125);

    const kiln::Ufunc scaled = kiln::vectorize("float32(float32 x, constant float32 k)", "return x * k;");
    const kiln::Reduction composed = kiln::reduction(scaled, kiln::math::add);
    CHECK(target.fetch(composed({x, 2}, reduction_on(target))).item<float>() == 5);
    CHECK(target.fetch(composed({x, 4.0}, reduction_on(target))).item<float>() == 10);
    CHECK(composed.resolve({x, 4}, reduction_on(target)).loop.ends_with(" = 4"));

    const kiln::Ufunc fused = kiln::fuse({.name = "fused", .parameters = {"x", "constant k"}},
                                         [&](const kiln::Expr& a, const kiln::Expr& k) { return scaled(scaled(a, k), k) + k; });
    CHECK(list_of(target.fetch(target.call(fused, {x, 2}))) == std::vector<double>{-6, 4, 6, 14});
    CHECK(fused.resolve({x, 2}, {.stream = stream}).loop.ends_with(", constant float32 k) with k = 2"));

    const kiln::RawKernel raw =
        kiln::kernel({.name = "add_times",
                      .signature = "void(const float32[:] x, float32[:] y, constant float32 a, "
                                   "constant int32 n)",
                      .body = "float32 s = 0; for (int32 i = 0; i < n; ++i) s += a * x[item]; y[item] = s;"});
    for (const int times : {3, 1}) {
      const Array y = target.place(Array::zeros({4}, DType::float32));
      kiln::LaunchOptions launch{.size = 4};
      launch.stream = stream;
      launch.device = target.device();
      raw(launch, x, y, 2, times);
      const double by = 2.0 * times;
      CHECK(list_of(target.fetch(y)) == std::vector<double>{-2 * by, 0.5 * by, by, 3 * by});
      CHECK(raw.resolve(launch, x, y, 2, times).loop ==
            "void(const float32[:] x, float32[:] y, constant float32 a, constant int32 n) with a = 2, n = " +
                std::to_string(times));
    }
  });
}

TEST_CASE("constants: equal values share a kernel, between functions and through the cache's directory") {
  on_every_device(
      [&](const Target& target) {
        const Array x = numbers(target);
        const kiln::Cache cache = fresh_cache();
        const std::string body = unique_comment() + kPower;
        const auto compiled = [&](int n) {
          const kiln::Ufunc f = kiln::vectorize(
              {.name = "power", .signatures = {"T(T x, constant int32 n)"}, .body = body, .compile = {.cache = cache}});
          target.call(f, {x, n});
          return f.compiled({x, n}, {.stream = target.options().stream});
        };
        const kiln::cache::Contents five = compiled(5);
        const kiln::cache::Contents six = compiled(6);
        CHECK(cache.stats().compiles == 2);
        CHECK(compiled(5).entry.id == five.entry.id);
        CHECK(six.entry.id != five.entry.id);
        CHECK(cache.stats().compiles == 2);
        CHECK(five.entry.signature == "float32(float32 x, constant int32 n) with n = 5");
      },
      {Mode::device});
}

TEST_CASE("constants: nothing of them is left in the machine code, and loops over them are unrolled") {
  on_every_device(
      [&](const Target& target) {
        const Array x = target.place(Array::zeros({1000}, DType::float32));
        const kiln::Ufunc plain = kiln::vectorize({.name = "power", .signatures = {"T(T x, int32 n)"}, .body = kPower});
        const kiln::Ufunc constant =
            kiln::vectorize({.name = "power", .signatures = {"T(T x, constant int32 n)"}, .body = kPower});
        const auto code = [&](const kiln::Ufunc& f) { return f.compiled({x, 3}, {.stream = target.options().stream}); };
        if (target.device().is_cpu()) {
          // Of a loop that depends on an argument the compiler makes blocks of its own.
          const auto branches = [&](const kiln::Ufunc& f) {
            const std::string text = kiln::inspect::text(code(f), kiln::inspect::Form::llvm_ir);
            std::ptrdiff_t count = 0;
            for (std::size_t at = text.find("br i1 "); at != std::string::npos; at = text.find("br i1 ", at + 1)) ++count;
            return count;
          };
          CHECK(branches(constant) < branches(plain));
          return;
        }
        if (target.device().kind() != kiln::DeviceKind::cuda) return;
        // The parameters are size, x, n and the result.
        const auto loads_n = [&](const kiln::Ufunc& f) {
          return kiln::inspect::text(code(f), kiln::inspect::Form::ptx).find("[kiln_kernel_param_2]") != std::string::npos;
        };
        CHECK(loads_n(plain));
        CHECK_FALSE(loads_n(constant));
      },
      {Mode::device});
}

TEST_CASE("constants: beyond the limit the plain kernel runs, and a warning says so once") {
  on_every_device(
      [&](const Target& target) {
        const kiln::Cache cache = fresh_cache();
        const Array x = numbers(target);
        const kiln::Ufunc f = power(cache, 2);
        for (const int n : {2, 3, 2, 4, 5, 3, 4}) {
          CHECK(target.fetch(target.call(f, {x, n}))[3].item<float>() == static_cast<float>(std::pow(3, n)));
        }
        CHECK(cache.stats().compiles == 3);
        REQUIRE(f.warnings().size() == 1);
        CHECK(
            kiln::to_string(f.warnings().front()) ==
            "power: warning: input 1 (n) is \"constant\", and 2 values have kernels of their own on " +
                kiln::to_string(target.device()) +
                ": further values run the plain kernel, which takes them as ordinary arguments; leave \"constant\" out of the "
                "signature, or raise .compile.constant_variants");
        CHECK(f.resolve({x, 4}, {.stream = target.options().stream}).loop == "float32(float32 x, constant int32 n)");

        const kiln::Ufunc none = power(cache, 0);
        CHECK(list_of(target.fetch(target.call(none, {x, 2}))).back() == 9);
        CHECK(none.warnings().size() == 1);

        const kiln::RawKernel raw = kiln::kernel({.name = "raise",
                                                  .signature = "void(float32[:] y, constant int32 n)",
                                                  .body = "y[item] += n;",
                                                  .compile = {.constant_variants = 1, .cache = cache}});
        const Array y = target.place(Array::zeros({2}, DType::float32));
        kiln::LaunchOptions launch{.size = 2};
        launch.device = target.device();
        for (const int n : {1, 2, 3}) raw(launch, y, n);
        CHECK(list_of(target.fetch(y)) == std::vector<double>{6, 6});
        REQUIRE(raw.warnings().size() == 1);
        CHECK(
            raw.warnings().front().text.starts_with("argument 1 (n) is \"constant\", and 1 value has a kernel of its own on "));
      },
      {Mode::device});
}

TEST_CASE("constants: what is wrong, in words that name the parameter") {
  const kiln::Ufunc f =
      kiln::vectorize({.name = "shift", .signatures = {"float32(float32 x, constant int8 n)"}, .body = "return x + n;"});
  const Array x = Array::zeros({3}, DType::float32);
  const std::string array =
      "shift: input 1 (n) is an array, and the parameter is \"constant\": the kernel is compiled for its value; give its "
      "value, which item() of the array returns";
  CHECK(message_of<kiln::TypeError>([&] { f(x, x); }) == array);
  CHECK(message_of<kiln::TypeError>([&] { f(x, Array::zeros({}, DType::int8)); }) == array);
  CHECK(message_of<kiln::TypeError>([&] {
          f(x, 1000);
        }).starts_with("shift: the integer 1000 given as input 1 (n) does not fit"));
  const kiln::RawKernel raw =
      kiln::kernel({.name = "raise", .signature = "void(float32[:] y, constant int32 n)", .body = "y[item] += n;"});
  CHECK(message_of<kiln::TypeError>([&] { raw({.size = 3}, x, x); }) ==
        "raise: argument 1 (n) is an array, and the parameter is \"constant\": the kernel is compiled for its value; give its "
        "value, which item() of the array returns");
  CHECK(message_of<kiln::SignatureError>([&] {
          static_cast<void>(kiln::vectorize({.name = "f",
                                             .signatures = {"float32(float32 x, int32 n)", "float64(float64, constant int32)"},
                                             .body = "return x + n;"}));
        })
            .starts_with(
                "f: \"constant\" comes from the first signature, \"float32(float32 x, int32 n)\"; write it there, or leave it "
                "out here"));
  CHECK(message_of<kiln::SignatureError>([&] {
          power(fresh_cache(), -1);
        }).starts_with("power: .compile.constant_variants is -1; it is a number of kernels, from 0"));
  // Other loops have the first one's constants.
  const kiln::Ufunc both = kiln::vectorize({.name = "f",
                                            .signatures = {"float32(float32 x, constant int32 n)", "float64(float64, int32)"},
                                            .body = "return x + n;"});
  if (has_cpu()) {
    CHECK(both.resolve({Array::zeros({2}, DType::float64), 4}, {.device = kiln::Device::cpu()}).loop ==
          "float64(float64, int32) with n = 4");
  }
}

TEST_CASE("constants: methods take the parameter as an ordinary one") {
  const kiln::Ufunc add =
      kiln::vectorize({.name = "plus", .signatures = {"T(T a, constant T b)"}, .body = "return a + b;", .identity = "0"});
  on_every_device(
      [&](const Target& target) {
        const Array x = target.place(Array::from(std::vector<float>{1, 2, 3}));
        CHECK(target.fetch(add.reduce(x, reduce_on(target))).item<float>() == 6);
        CHECK(list_of(target.fetch(add.accumulate(x, accumulate_on(target)))) == std::vector<double>{1, 3, 6});
      },
      {Mode::device});
}

TEST_CASE("constants: in chunks, in a graph, profiled and checked") {
  const kiln::Cache cache = fresh_cache();
  on_every_device(
      [&](const Target& target) {
        const kiln::Ufunc f = power(cache);
        const kiln::Stream stream = target.options().stream;
        const Array x = kiln::to_device(Array::full({1000}, 2.0F), target.device());
        Array made;
        const kiln::Graph graph = kiln::capture(stream, [&] { made = f({x, 5}, {.stream = stream}); });
        x.fill(3.0F);
        target.device().synchronize();
        graph.launch();
        target.wait();
        CHECK(list_of(target.fetch(made)) == std::vector<double>(1000, 243));

        const kiln::Profile profile = kiln::profile();
        target.call(f, {x, 4});
        CHECK_FALSE(profile.records().empty());

        const Array host = Array::full({100'000}, 2.0F);
        const Array out = kiln::chunked(f, {.chunk_bytes = 1 << 16, .devices = {target.device()}})(host, 3);
        CHECK(list_of(out) == std::vector<double>(100'000, 8));

        const kiln::Ufunc checked = kiln::vectorize({.name = "checked",
                                                     .signatures = {"int32(int32 x, constant int32 d)"},
                                                     .body = "return x / d;",
                                                     .compile = {.debug = {.on = true}}});
        const Array whole = target.place(Array::full({4}, 6));
        CHECK(list_of(target.fetch(target.call(checked, {whole, 3}))) == std::vector<double>(4, 2));
        const std::string fault = message_of<kiln::DeviceError>([&] { (void)target.fetch(target.call(checked, {whole, 0})); });
        CHECK(fault.find("division of integers by zero, 6 / 0") != std::string::npos);
        CHECK(fault.find(": checked:1:10\n") != std::string::npos);
      },
      {Mode::stream});
}

TEST_CASE("constants: threads with different values at once") {
  const kiln::Cache cache = fresh_cache();
  on_every_device(
      [&](const Target& target) {
        const kiln::Ufunc f = power(cache, 6);
        const auto before = cache.stats().compiles;
        const Array x = numbers(target);
        std::vector<int> wrong(8);
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t) {
          threads.emplace_back([&, t] {
            for (int i = 0; i < 12; ++i) {
              const int n = (t + i) % 8;
              const Array got = target.fetch(target.call(f, {x, n}));
              if (got[3].item<float>() != static_cast<float>(std::pow(3, n))) ++wrong[static_cast<std::size_t>(t)];
            }
          });
        }
        for (std::thread& thread : threads) thread.join();
        CHECK(wrong == std::vector<int>(8, 0));
        // Six values, and the plain kernel.
        CHECK(cache.stats().compiles - before == 7);
        CHECK(f.warnings().size() == 1);
      },
      {Mode::device});
}

// float16 and bfloat16, exhaustively: all bit patterns in, and every rounding boundary out.
#include <cmath>

#include "devices.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/math.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Ufunc;

namespace {

constexpr DType kHalfTypes[] = {DType::float16, DType::bfloat16};

Array every_pattern(DType dtype) {
  std::vector<Exact> values;
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  return Array::view(bits.data(), {65536}, dtype, {}).copy();
}

std::vector<Exact> every_value(DType dtype) {
  std::vector<Exact> values;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    values.emplace_back(decode_half(static_cast<std::uint16_t>(bits), dtype == DType::bfloat16));
  }
  return values;
}

/// Around every midpoint between two neighbours, and past the largest: below, on and above it by one step of a T.
template <class T>
std::vector<T> boundaries(DType dtype) {
  const bool bfloat = dtype == DType::bfloat16;
  const std::uint16_t infinity = bfloat ? 0x7f80 : 0x7c00;
  std::vector<T> values;
  for (std::uint16_t bits = 0; bits < infinity; ++bits) {
    const long double low = decode_half(bits, bfloat);
    const long double high = bits + 1 == infinity ? 2 * low - decode_half(static_cast<std::uint16_t>(bits - 1), bfloat)
                                                  : decode_half(static_cast<std::uint16_t>(bits + 1), bfloat);
    const T middle = static_cast<T>((low + high) / 2);
    for (const T value : {std::nextafter(middle, T(0)), middle, std::nextafter(middle, std::numeric_limits<T>::infinity())}) {
      values.push_back(bits % 2 == 0 ? value : -value);
    }
  }
  return values;
}

template <class T>
void check_rounding(const Target& target, DType dtype) {
  const std::vector<T> values = boundaries<T>(dtype);
  std::vector<Exact> expected;
  for (const T value : values)
    expected.push_back(decode_half(encode_half(value, dtype == DType::bfloat16), dtype == DType::bfloat16));
  const Ufunc same = kiln::vectorize("T(T a)", "return a;");
  const Array out = target.place(Array::zeros({static_cast<std::int64_t>(values.size())}, dtype));
  target.call(same, {target.place(Array::from(values))}, {.out = out});
  CHECK(difference(read(target.fetch(out)), expected) == "");
}

}  // namespace

TEST_CASE("halves: every bit pattern widens exactly and survives the way back") {
  const Ufunc widen = kiln::vectorize({.name = "widen",
                                       .signatures = {"(float32 wide, T same)(T a) where T: float16, bfloat16"},
                                       .body = "wide = a; same = a;"});
  for (const DType dtype : kHalfTypes) {
    const std::string dtype_name(name(dtype));
    INFO(dtype_name);
    on_every_device([&](const Target& target) {
      const auto results = target.outputs(widen, {target.place(every_pattern(dtype))});
      CHECK(difference(read(target.fetch(results[0])), every_value(dtype)) == "");
      CHECK(difference(read(target.fetch(results[1])), every_value(dtype)) == "");
    });
  }
}

TEST_CASE("halves: float32 and float64 round to the nearest, ties to even, once") {
  for (const DType dtype : kHalfTypes) {
    const std::string dtype_name(name(dtype));
    INFO(dtype_name);
    on_every_device(
        [&](const Target& target) {
          check_rounding<float>(target, dtype);
          check_rounding<double>(target, dtype);
        },
        {Mode::device});
  }
}

// What compilers like to bring down to half, and what processors that only convert them have no instruction for.
TEST_CASE("halves: what is compared, chosen, rounded and converted") {
  const Ufunc compared =
      kiln::vectorize({.name = "compared",
                       .signatures = {"(bool less, bool equal, bool unordered, bool falsy, T larger, T chosen)(T a, T b)"},
                       .body = "less = a < b; equal = a == b; unordered = !(a <= b || a >= b); falsy = !(a != 0);\n"
                               "larger = a > b ? a : b; chosen = a == b || a != a ? -b : a;"});
  const Ufunc rounding = kiln::vectorize(
      {.name = "rounding",
       .signatures = {"(T down, T up, T nearest, T towards_zero, T root, T magnitude, T signed_as)(T a, T b)"},
       .body = "down = floor(a); up = ceil(a); nearest = rint(a); towards_zero = trunc(a); root = sqrt(fabs(a));\n"
               "magnitude = fabs(a); signed_as = b == b ? copysign(a, b) : a;"});  // the sign of a nan is no conversion's
  const Ufunc converted = kiln::vectorize(
      {.name = "converted",
       .signatures = {"(int32 whole, float64 wide, T narrow, T from_short)(T a, T b)"},
       .body = "const bool small = fabs(a) < 30000;\nwhole = small ? int32(a) : 0; wide = a; narrow = double(a) / 3;\n"
               "from_short = int16(small ? a : 7);"});
  for (const DType dtype : kHalfTypes) {
    const std::string dtype_name(name(dtype));
    INFO(dtype_name);
    const bool bfloat = dtype == DType::bfloat16;
    // Every value beside another, and, by the step, beside itself and its own negative.
    std::vector<std::uint16_t> partners(65536);
    for (std::uint32_t i = 0; i < 65536; ++i) {
      partners[i] = static_cast<std::uint16_t>(i % 3 == 0 ? i * 40503 : i % 3 == 1 ? i : i ^ 0x8000);
    }
    std::vector<std::vector<Exact>> expected(17);
    for (std::uint32_t i = 0; i < 65536; ++i) {
      const long double a = decode_half(static_cast<std::uint16_t>(i), bfloat);
      const long double b = decode_half(partners[i], bfloat);
      const bool small = std::fabs(a) < 30000;
      std::size_t k = 0;
      const auto add = [&](long double value) { expected[k++].emplace_back(value); };
      add(a < b);
      add(a == b);
      add(std::isnan(a) || std::isnan(b));
      add(a == 0);
      add(a > b ? a : b);
      add(a == b || std::isnan(a) ? -b : a);
      add(std::floor(a));
      add(std::ceil(a));
      add(std::nearbyint(a));
      add(std::trunc(a));
      add(rounded(dtype, std::sqrt(std::fabs(a))).real());
      add(std::fabs(a));
      add(std::isnan(b) ? a : std::copysign(a, b));
      add(small ? std::trunc(a) : 0);
      add(a);
      add(rounded(dtype, static_cast<double>(a) / 3).real());
      add(rounded(dtype, small ? std::trunc(a) : 7).real());
    }
    on_every_device(
        [&](const Target& target) {
          const Array a = target.place(every_pattern(dtype));
          const Array b = target.place(Array::view(partners.data(), {65536}, dtype, {}).copy());
          std::size_t k = 0;
          for (const Ufunc* const ufunc : {&compared, &rounding, &converted}) {
            for (const Array& result : target.outputs(*ufunc, {a, b})) {
              CAPTURE(k);
              CHECK(difference(read(target.fetch(result)), expected[k]) == "");
              ++k;
            }
          }
          CHECK(k == expected.size());
        },
        {Mode::device});
  }
}

TEST_CASE("halves: remainders are exact, however large the quotient") {
  for (const DType dtype : kHalfTypes) {
    const std::string dtype_name(name(dtype));
    INFO(dtype_name);
    const bool bfloat = dtype == DType::bfloat16;
    for (const std::uint32_t factor : {40503U, 25173U, 1U, 32769U}) {
      std::vector<std::uint16_t> divisors(65536);
      std::vector<Exact> truncated;
      std::vector<Exact> floored;
      for (std::uint32_t i = 0; i < 65536; ++i) {
        // With factor 1: the smallest subnormals, infinities and NaNs below everything.
        divisors[i] = static_cast<std::uint16_t>(factor == 1 ? (i % 5 < 3 ? i % 7 : 0x7bfe + i % 6) : i * factor + 77);
        const long double a = decode_half(static_cast<std::uint16_t>(i), bfloat);
        const long double b = decode_half(divisors[i], bfloat);
        const long double r = std::fmod(a, b);
        truncated.emplace_back(r);
        floored.push_back(rounded(dtype, r != 0 && (r < 0) != (b < 0) ? static_cast<float>(r) + static_cast<float>(b) : r));
      }
      on_every_device(
          [&](const Target& target) {
            const Array a = target.place(every_pattern(dtype));
            const Array b = target.place(Array::view(divisors.data(), {65536}, dtype, {}).copy());
            CHECK(difference(read(target.fetch(target.call(kiln::math::fmod, {a, b}))), truncated) == "");
            CHECK(difference(read(target.fetch(target.call(kiln::math::remainder, {a, b}))), floored) == "");
          },
          {Mode::device});
    }
  }
}

TEST_CASE("halves: an expression is rounded once, where it is stored") {
  const Ufunc expression = kiln::vectorize({.name = "expression",
                                            .signatures = {"(T sum, T product, T quotient)(T a, T b)"},
                                            .body = "sum = a + b; product = a * b; quotient = a / b;"});
  auto source = random_source(5);
  for (const DType dtype : kHalfTypes) {
    const std::string dtype_name(name(dtype));
    INFO(dtype_name);
    const bool bfloat = dtype == DType::bfloat16;
    std::vector<Exact> a;
    std::vector<Exact> b;
    while (a.size() < 20000) {
      const long double x = decode_half(static_cast<std::uint16_t>(source()), bfloat);
      const long double y = decode_half(static_cast<std::uint16_t>(source()), bfloat);
      // Results that float32 cannot hold as normal numbers would be rounded twice.
      if (!std::isfinite(x) || !std::isfinite(y) || std::fabs(x) < 0x1p-60L || std::fabs(x) > 0x1p60L ||
          std::fabs(y) < 0x1p-60L || std::fabs(y) > 0x1p60L) {
        continue;
      }
      a.emplace_back(x);
      b.emplace_back(y);
    }
    std::vector<Exact> sum;
    std::vector<Exact> product;
    std::vector<Exact> quotient;
    for (std::size_t i = 0; i < a.size(); ++i) {
      // Float32 has more than twice a half's digits: rounding through it gives the correctly rounded result.
      sum.push_back(rounded(dtype, a[i].real() + b[i].real()));
      product.push_back(rounded(dtype, a[i].real() * b[i].real()));
      quotient.push_back(rounded(dtype, a[i].real() / b[i].real()));
    }
    on_every_device(
        [&](const Target& target) {
          const auto results = target.outputs(expression, {target.place(make(dtype, a)), target.place(make(dtype, b))});
          CHECK(difference(read(target.fetch(results[0])), sum) == "");
          CHECK(difference(read(target.fetch(results[1])), product) == "");
          CHECK(difference(read(target.fetch(results[2])), quotient) == "");
        },
        {Mode::device});
  }
}

namespace {

/// Integers and fractions that a float rounds to the middle between two halves, and others.
std::vector<double> twice_rounded(DType dtype) {
  std::vector<double> values{63343.99805, -63343.99805};
  for (const double value : boundaries<double>(dtype)) {
    if (std::fabs(value) > 1e-30 && std::fabs(value) < 1e30) values.push_back(value);
    if (values.size() == 4000) break;
  }
  // Between a middle and the next float, of all sizes that an int32 has.
  const int digits = dtype == DType::bfloat16 ? 8 : 11;
  for (int exponent = digits + 1; exponent < 31; ++exponent) {
    const double middle = std::ldexp(1.0, exponent) + std::ldexp(1.0, exponent - digits);
    for (const double step : {-1.0, 0.0, 1.0}) values.push_back(middle + step);
  }
  return values;
}

std::vector<Exact> once_rounded(DType dtype, const Array& values) {
  std::vector<Exact> expected = read(values);
  for (Exact& value : expected) value = rounded(dtype, value);
  return expected;
}

Array empty_on(const Target& target, std::size_t size, DType dtype) {
  return target.place(Array::zeros({static_cast<std::int64_t>(size)}, dtype));
}

}  // namespace

TEST_CASE("halves: whatever is assigned to an element is rounded once, in every kind of kernel") {
  for (const DType dtype : kHalfTypes) {
    const std::string half(name(dtype));
    INFO(half);
    const Array wide = Array::from(twice_rounded(dtype));
    for (const DType from : {DType::float64, DType::int64, DType::int32}) {
      const std::string given(name(from));
      INFO(given);
      const Array values = from == DType::float64 ? wide : wide.astype(from);
      const std::vector<Exact> expected = once_rounded(dtype, values);
      on_every_device(
          [&](const Target& target) {
            const Array a = target.place(values);
            const auto gufunc = [&](const std::string& body) {
              const kiln::Gufunc function = kiln::guvectorize("(n)->(n)", "void(" + given + "[:] a, " + half + "[:] r)", body);
              const Array out = empty_on(target, expected.size(), dtype);
              function({a}, {.out = out, .stream = target.options().stream});
              CHECK(difference(read(target.fetch(out)), expected) == "");
            };
            gufunc("for (index i = 0; i < n; ++i) r(i) = a(i);");
            gufunc("for (index i = 0; i < n; ++i) r[i] = a[i];");
            // Beside a half an integer counts as float.
            const bool adds = from == DType::float64;
            if (adds) gufunc("for (index i = 0; i < n; ++i) { r(i) = 0; r(i) += a(i); }");
            if (adds) gufunc("for (auto& x : r) x = 1; for (index i = 0; i < n; ++i) r[i] *= a[i];");
            gufunc("index i = 0; for (auto& x : r) x = a(i++);");
            gufunc("struct number { " + given + " v; operator " + given +
                   "() const { return v; } };\nfor (index i = 0; i < n; ++i) r(i) = number{a(i)};");
            const Array out = empty_on(target, expected.size(), dtype);
            kiln::guvectorize("()->()", "void(" + given + " a, " + half + " r)", "r = a;")(
                {a}, {.out = out, .stream = target.options().stream});
            CHECK(difference(read(target.fetch(out)), expected) == "");
            for (const std::string body : {"r[item] = a[item];", "r[item] = 0; r[item] += a[item];"}) {
              if (body.size() > 20 && !adds) continue;
              const Array raw = empty_on(target, expected.size(), dtype);
              const kiln::RawKernel kernel =
                  kiln::kernel({.name = "store", .signature = "void(" + half + "* r, const " + given + "* a)", .body = body});
              kernel({.size = static_cast<std::int64_t>(expected.size()), .stream = target.options().stream}, raw, a);
              CHECK(difference(read(target.fetch(raw)), expected) == "");
            }
            const Ufunc ufunc = kiln::vectorize(half + "(" + given + " a)", "return a;");
            CHECK(difference(read(target.fetch(target.call(ufunc, {a}))), expected) == "");
          },
          {Mode::device});
    }
  }
}

TEST_CASE("halves: an element of one view may be added to another's") {
  const kiln::Gufunc running = kiln::guvectorize(
      "(n)->(n),(n)", "void(float16[:] a, float16[:] sums, bfloat16[:] copy)",
      "for (index i = 0; i < n; ++i) { sums(i) = i > 0 ? float32(sums(i - 1)) : 0; sums(i) += a(i); copy(i) = 0; copy(i) += "
      "sums(i); copy(i) *= 2; }");
  on_every_device(
      [&](const Target& target) {
        const Array a = target.place(Array::from<float>({1, 2, 3.5F, 0.25F}).astype(DType::float16));
        const Array sums = empty_on(target, 4, DType::float16);
        const Array copy = empty_on(target, 4, DType::bfloat16);
        running.outputs<2>({a}, {.out = {sums, copy}, .stream = target.options().stream});
        CHECK(list_of(target.fetch(sums)) == std::vector<double>{1, 3, 6.5, 6.75});
        CHECK(list_of(target.fetch(copy)) == std::vector<double>{2, 6, 13, 13.5});
      },
      {Mode::device});
}

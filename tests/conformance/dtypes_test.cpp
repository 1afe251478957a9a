// Every dtype as input and output, type variables, several outputs, arithmetic.
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "devices.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Kind;
using kiln::Ufunc;

namespace {

/// Extremes, zeros and a spread of ordinary values.
std::vector<Exact> samples(DType dtype, std::size_t count, std::mt19937_64& source) {
  std::vector<Exact> values;
  const auto real = [&]() -> long double { return (static_cast<long double>(source() % 2001) - 1000.0L) / 16.0L; };
  for (std::size_t i = 0; i < count; ++i) {
    switch (kind(dtype)) {
      case Kind::boolean:
        values.emplace_back(source() % 2 == 0 ? 1.0L : 0.0L);
        break;
      case Kind::integer:
        values.push_back(rounded(dtype, static_cast<long double>(source())));
        break;
      case Kind::floating:
        values.push_back(rounded(dtype, real()));
        break;
      case Kind::complex:
        values.push_back(rounded(dtype, Exact(real(), real())));
        break;
    }
  }
  const long double inf = std::numeric_limits<long double>::infinity();
  if (kind(dtype) == Kind::floating) {
    values.insert(values.end(), {inf, -inf, std::numeric_limits<long double>::quiet_NaN(), -0.0L});
  }
  return values;
}

std::vector<Exact> zip(const std::vector<Exact>& a, const std::vector<Exact>& b, Exact (*f)(Exact, Exact)) {
  std::vector<Exact> result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(f(a[i], b[i]));
  return result;
}

std::vector<Exact> rounded_all(DType dtype, std::vector<Exact> values) {
  for (Exact& value : values) value = rounded(dtype, value);
  return values;
}

/// Of integers: modulo 2^64, since a sum of 64-bit numbers may need a digit more than long double has.
std::uint64_t bits_of(Exact v) {
  return v.real() < 0 ? 0 - static_cast<std::uint64_t>(-v.real()) : static_cast<std::uint64_t>(v.real());
}
Exact wrapping_plus(Exact a, Exact b) {
  return static_cast<long double>(bits_of(a) + bits_of(b));
}
Exact wrapping_minus(Exact a, Exact b) {
  return static_cast<long double>(bits_of(a) - bits_of(b));
}
Exact wrapping_times(Exact a, Exact b) {
  return static_cast<long double>(bits_of(a) * bits_of(b));
}
Exact plus(Exact a, Exact b) {
  return a + b;
}
Exact minus(Exact a, Exact b) {
  return a - b;
}
Exact times(Exact a, Exact b) {
  return a * b;
}
Exact divided(Exact a, Exact b) {
  return a / b;
}

}  // namespace

TEST_CASE("dtypes: every dtype passes through unchanged") {
  const Ufunc same = kiln::vectorize("T(T a)", "return a;");
  auto source = random_source(1);
  for (const DType dtype : kEveryDType) {
    const std::string dtype_name(name(dtype));
    INFO(dtype_name);
    const std::vector<Exact> values = samples(dtype, 150, source);
    on_every_device([&](const Target& target) {
      const Array result = target.call(same, {target.place(make(dtype, values))});
      CHECK(result.dtype() == dtype);
      CHECK(difference(read(target.fetch(result)), values) == "");
      CHECK(result.is_host() == (target.mode() == Mode::host));
      CHECK(result.device().same_memory(target.mode() == Mode::host ? kiln::Device::cpu() : target.device()));
    });
  }
}

TEST_CASE("dtypes: sums in every dtype, integers wrap, halves are rounded once") {
  const Ufunc add = kiln::vectorize("T(T a, T b)", "return a + b;");
  auto source = random_source(2);
  for (const DType dtype : kEveryDType) {
    const std::string dtype_name(name(dtype));
    INFO(dtype_name);
    const std::vector<Exact> a = samples(dtype, 300, source);
    const std::vector<Exact> b = samples(dtype, 300, source);
    const std::vector<Exact> expected = rounded_all(dtype, zip(a, b, kind(dtype) == Kind::integer ? wrapping_plus : plus));
    on_every_device([&](const Target& target) {
      const Array result = target.call(add, {target.place(make(dtype, a)), target.place(make(dtype, b))});
      CHECK(result.dtype() == dtype);
      CHECK(difference(read(target.fetch(result)), expected) == "");
    });
  }
}

TEST_CASE("dtypes: products and differences of integers wrap at their limits") {
  const Ufunc both = kiln::vectorize({.name = "both", .signatures = {"(T p, T d)(T a, T b)"}, .body = "p = a * b; d = a - b;"});
  for (const DType dtype :
       {DType::int8, DType::uint8, DType::int16, DType::int32, DType::uint32, DType::int64, DType::uint64}) {
    const std::string dtype_name(name(dtype));
    INFO(dtype_name);
    const long double top = std::ldexp(1.0L, static_cast<int>(itemsize(dtype)) * 8 - (is_signed(dtype) ? 1 : 0)) - 1;
    const long double bottom = is_signed(dtype) ? -top - 1 : 0;
    const std::vector<Exact> a = {top, bottom, top, bottom, 1, 0, top, top};
    const std::vector<Exact> b = {2, 2, 3, 1, top, 1, bottom, 1};
    const std::vector<Exact> products = rounded_all(dtype, zip(a, b, wrapping_times));
    const std::vector<Exact> differences = rounded_all(dtype, zip(a, b, wrapping_minus));
    on_every_device([&](const Target& target) {
      const auto results = target.outputs(both, {target.place(make(dtype, a)), target.place(make(dtype, b))});
      CHECK(difference(read(target.fetch(results[0])), products) == "");
      CHECK(difference(read(target.fetch(results[1])), differences) == "");
    });
  }
}

TEST_CASE("dtypes: several outputs of different dtypes") {
  const Ufunc three = kiln::vectorize({.name = "three",
                                       .signatures = {"(T sum, float64 ratio, bool less)(T a, T b)"},
                                       .body = "sum = a + b; ratio = float64(a) / float64(b); less = a < b;"});
  CHECK(three.nin() == 2);
  CHECK(three.nout() == 3);
  for (const DType dtype : {DType::int16, DType::uint8, DType::float16, DType::bfloat16, DType::float64}) {
    const std::string dtype_name(name(dtype));
    INFO(dtype_name);
    const std::vector<Exact> a = {1, 2, 3, 40, 5};
    const std::vector<Exact> b = {5, 4, 3, 2, 1};
    on_every_device([&](const Target& target) {
      const Array x = target.place(make(dtype, a));
      const Array y = target.place(make(dtype, b));
      const auto results = three.outputs<3>({x, y}, target.options());
      CHECK(results[0].dtype() == dtype);
      CHECK(results[1].dtype() == DType::float64);
      CHECK(results[2].dtype() == DType::bool_);
      CHECK(difference(read(target.fetch(results[0])), zip(a, b, plus)) == "");
      CHECK(difference(read(target.fetch(results[1])), rounded_all(DType::float64, zip(a, b, divided))) == "");
      CHECK(difference(read(target.fetch(results[2])), {1, 1, 0, 0, 0}) == "");
    });
  }
}

TEST_CASE("dtypes: comparisons give bool") {
  const Ufunc less = kiln::vectorize("bool(T a, T b)", "return a < b;");
  const Ufunc equal = kiln::vectorize("bool(T a, T b)", "return a == b;");
  auto source = random_source(3);
  for (const DType dtype : kEveryDType) {
    const std::string dtype_name(name(dtype));
    INFO(dtype_name);
    const std::vector<Exact> a = samples(dtype, 200, source);
    std::vector<Exact> b = samples(dtype, 200, source);
    for (std::size_t i = 0; i < b.size(); i += 3) b[i] = a[i];
    on_every_device([&](const Target& target) {
      const Array x = target.place(make(dtype, a));
      const Array y = target.place(make(dtype, b));
      const Array same = target.call(equal, {x, y});
      CHECK(same.dtype() == DType::bool_);
      CHECK(difference(read(target.fetch(same)), zip(a, b, [](Exact p, Exact q) { return Exact(p == q); })) == "");
      if (kind(dtype) == Kind::complex) return;
      const auto is_less = [](Exact p, Exact q) { return Exact(p.real() < q.real()); };
      CHECK(difference(read(target.fetch(target.call(less, {x, y}))), zip(a, b, is_less)) == "");
    });
  }
}

TEST_CASE("dtypes: any byte but 0 is true") {
  const Ufunc count = kiln::vectorize("int32(bool a, bool b)", "return (a ? 1 : 0) + (a == b ? 10 : 0) + (a && b ? 100 : 0);");
  std::vector<std::uint8_t> bytes(256);
  std::vector<std::uint8_t> others(256);
  std::vector<Exact> expected;
  for (std::size_t i = 0; i < 256; ++i) {
    bytes[i] = static_cast<std::uint8_t>(i);
    others[i] = i % 2 == 0 ? 255 : 0;
    const bool a = bytes[i] != 0;
    const bool b = others[i] != 0;
    expected.emplace_back(static_cast<long double>((a ? 1 : 0) + (a == b ? 10 : 0) + (a && b ? 100 : 0)));
  }
  on_every_device([&](const Target& target) {
    const Array a = target.place(Array::view(bytes.data(), {256}, DType::bool_, {}));
    const Array b = target.place(Array::view(others.data(), {256}, DType::bool_, {}));
    CHECK(difference(read(target.fetch(target.call(count, {a, b}))), expected) == "");
  });
}

TEST_CASE("dtypes: inputs of different dtypes meet in one expression") {
  const Ufunc mix = kiln::vectorize("complex128(int8 a, float32 b, complex64 c)", "return a * b + c;");
  on_every_device([&](const Target& target) {
    const Array a = target.place(make(DType::int8, {1, -2, 3}));
    const Array b = target.place(make(DType::float32, {0.5L, 0.25L, -4}));
    const Array c = target.place(make(DType::complex64, {Exact(1, 1), Exact(0, -2), Exact(-3, 0.5L)}));
    const Array result = target.call(mix, {a, b, c});
    CHECK(result.dtype() == DType::complex128);
    CHECK(difference(read(target.fetch(result)), {Exact(1.5L, 1), Exact(-0.5L, -2), Exact(-15, 0.5L)}) == "");
  });
}

TEST_CASE("dtypes: a restricted type variable takes the first choice that holds the arguments") {
  const Ufunc scale = kiln::vectorize("T(T a, T b) where T: float32, float64", "return T(2) * a + b;");
  const Ufunc pair = kiln::vectorize("U(T a, U b)", "return U(b + U(a));");
  struct Expectation {
    DType a, b, result;
  };
  on_every_device([&](const Target& target) {
    for (const auto& [a, b, result] :
         {Expectation{DType::int16, DType::int8, DType::float32}, Expectation{DType::int32, DType::int8, DType::float64},
          Expectation{DType::float32, DType::float32, DType::float32},
          Expectation{DType::float32, DType::float64, DType::float64}}) {
      const Array r = target.call(scale, {target.place(make(a, {1, 2, 3})), target.place(make(b, {10, 20, 30}))});
      CHECK(r.dtype() == result);
      CHECK(difference(read(target.fetch(r)), {12, 24, 36}) == "");
    }
    const Array r =
        target.call(pair, {target.place(make(DType::uint8, {1, 2})), target.place(make(DType::float64, {0.5L, 1}))});
    CHECK(r.dtype() == DType::float64);
    CHECK(difference(read(target.fetch(r)), {1.5L, 3}) == "");
  });
}

TEST_CASE("dtypes: complex arithmetic agrees with long double") {
  const Ufunc arithmetic = kiln::vectorize(
      {.name = "arithmetic", .signatures = {"(T p, T q, T s)(T a, T b)"}, .body = "p = a * b; q = a / b; s = a - b;"});
  auto source = random_source(4);
  for (const DType dtype : {DType::complex64, DType::complex128}) {
    const std::string dtype_name(name(dtype));
    INFO(dtype_name);
    const std::vector<Exact> a = samples(dtype, 500, source);
    std::vector<Exact> b = samples(dtype, 500, source);
    for (Exact& value : b) value += value == Exact(0) ? Exact(1) : Exact(0);
    const long double epsilon = dtype == DType::complex64 ? 0x1p-23L : 0x1p-52L;
    on_every_device([&](const Target& target) {
      const auto results = target.outputs(arithmetic, {target.place(make(dtype, a)), target.place(make(dtype, b))});
      CHECK(difference(read(target.fetch(results[0])), zip(a, b, times), 3 * epsilon) == "");
      CHECK(difference(read(target.fetch(results[1])), zip(a, b, divided), 8 * epsilon) == "");
      CHECK(difference(read(target.fetch(results[2])), rounded_all(dtype, zip(a, b, minus))) == "");
    });
  }
}

TEST_CASE("dtypes: the order of complex numbers in bodies is NumPy's") {
  // Of (-1, 0, nan, inf) + i (-1, 0, nan, inf), each with each: a row of bits for each first number. By NumPy 2.4.
  const std::vector<std::string> numpy = {"5d0d 1d0d 0000 0d0d 050d 010d 0000 000d 0000 0000 0000 0000 0005 0001 0000 0000 ",
                                          "dd0d 5d0d 0000 1d0d 0d0d 050d 0000 010d 0000 0000 0000 0000 000d 0005 0000 0001 ",
                                          "0000 8000 0000 c000 d000 d800 0000 dc00 0000 0000 0000 0000 dd00 dd08 0000 dd0c ",
                                          "8000 c000 0000 d000 d800 dc00 0000 dd00 0000 0000 0000 0000 dd08 dd0c 0000 dd0d "};
  const Ufunc order = kiln::vectorize({.name = "order",
                                       .signatures = {"(bool l, bool le, bool g, bool ge)(T a, T b)"},
                                       .body = "l = a < b; le = a <= b; g = a > b; ge = a >= b;"});
  const Ufunc extrema =
      kiln::vectorize({.name = "extrema",
                       .signatures = {"(T least, T most, bool negative, bool positive)(T a, T b)"},
                       .body = "least = std::min(a, b), most = max(a, b), negative = a < 0, positive = 0.0f < a;"});
  std::vector<std::complex<double>> all;
  const double parts[] = {-1, 0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  for (const double re : parts) {
    for (const double im : parts) all.emplace_back(re, im);
  }
  on_every_device([&](const Target& target) {
    for (const DType dtype : {DType::complex64, DType::complex128}) {
      const Array z = Array::from(all).astype(dtype);
      const Array rows = target.place(z.reshape({16, 1})), columns = target.place(z);
      const std::vector<Array> got = target.outputs(order, {rows, columns});
      for (std::size_t k = 0; k < 4; ++k) {
        std::string text;
        const std::vector<double> bits = list_of(target.fetch(got[k]));
        for (std::size_t row = 0; row < 16; ++row) {
          for (std::size_t digit = 0; digit < 4; ++digit) {
            int value = 0;
            for (std::size_t i = 0; i < 4; ++i) value = 2 * value + static_cast<int>(bits[16 * row + 4 * digit + i]);
            text += "0123456789abcdef"[value];
          }
          text += ' ';
        }
        CHECK(text == numpy[k]);
      }
      using Complexes = std::vector<std::complex<double>>;
      const auto placed = [&](const Complexes& values) { return target.place(Array::from(values).astype(dtype)); };
      const auto fetched = [&](const Array& values) {
        return target.fetch(values).astype(DType::complex128).to_vector<std::complex<double>>();
      };
      const std::vector<Array> of =
          target.outputs(extrema, {placed({{1, 2}, {3, 0}, {-1, 5}, {0, 1}}), placed({{1, 3}, {2, 9}, {-1, 5}, {0, -1}})});
      CHECK(fetched(of[0]) == Complexes{{1, 2}, {2, 9}, {-1, 5}, {0, -1}});
      CHECK(fetched(of[1]) == Complexes{{1, 3}, {3, 0}, {-1, 5}, {0, 1}});
      CHECK(list_of(target.fetch(of[2])) == std::vector<double>{0, 0, 1, 0});
      CHECK(list_of(target.fetch(of[3])) == std::vector<double>{1, 1, 0, 1});
    }
  });
}

TEST_CASE("dtypes: the typed form") {
  const Ufunc product = kiln::vectorize<float(float, std::int16_t)>("a", "b", "return a * b;");
  on_every_device([&](const Target& target) {
    const Array result =
        target.call(product, {target.place(make(DType::float32, {0.5L, 2})), target.place(make(DType::int16, {3, 4}))});
    CHECK(result.dtype() == DType::float32);
    CHECK(difference(read(target.fetch(result)), {1.5L, 8}) == "");
  });
}

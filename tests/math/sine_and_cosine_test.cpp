// A body's sin and cos of one angle share their range reduction, and keep the bits that each has alone.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "devices.hpp"
#include "golden.hpp"
#include "kiln/math.hpp"
#include "kiln/operators.hpp"
#include "numbers.hpp"
#include "report.hpp"

using namespace math_tests;

namespace {

template <class T>
kiln::Array angles_of(const std::vector<T>& values) {
  kiln::Array array = kiln::Array::empty({static_cast<std::int64_t>(values.size())},
                                         sizeof(T) == 4 ? kiln::DType::float32 : kiln::DType::float64);
  std::memcpy(array.data(), values.data(), values.size() * sizeof(T));
  return array;
}

/// Those of `angles` whose pair has other bits than each function alone.
template <class T>
std::size_t count_other_bits(const kiln::Ufunc& pair, const std::vector<T>& angles) {
  const kiln::Array x = angles_of(angles);
  const auto [sine, cosine] = pair.outputs<2>(x);
  const Bits pairs[] = {bits_of(sine), bits_of(cosine)}, alone[] = {bits_of(kiln::math::sin(x)), bits_of(kiln::math::cos(x))};
  std::size_t others = 0;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const bool same = pairs[0][i] == alone[0][i] && pairs[1][i] == alone[1][i];
    if (!same && others++ == 0) MESSAGE(angles[i]);
  }
  return others;
}

const kiln::Ufunc by_calls =
    kiln::vectorize({.signatures = {"(T s, T c)(T x) where T: float32, float64"}, .body = "s = sin(x); c = cos(x);"});
const kiln::Ufunc by_sincos =
    kiln::vectorize({.signatures = {"(T s, T c)(T x) where T: float32, float64"}, .body = "sincos(x, &s, &c);"});

}  // namespace

// Every 509th; each with KILN_TEST_BIG.
TEST_CASE("math: sin and cos of one float32 in a body are those of each alone") {
  if (conformance::devices().empty() || !conformance::devices().front().is_cpu()) return conformance::note_not_run("cpu");
  const std::uint64_t step = std::getenv("KILN_TEST_BIG") == nullptr ? 509 : 1;
  constexpr std::size_t kCount = std::size_t{1} << 20;
  std::vector<float> angles;
  for (std::uint64_t bits = 0; bits < (1ULL << 32); bits += step) {
    const auto narrow = static_cast<std::uint32_t>(bits);
    float angle = 0;
    std::memcpy(&angle, &narrow, 4);
    angles.push_back(angle);
    if (angles.size() < kCount && bits + step < (1ULL << 32)) continue;
    REQUIRE(count_other_bits(by_calls, angles) == 0);
    REQUIRE(count_other_bits(by_sincos, angles) == 0);
    angles.clear();
  }
}

TEST_CASE("math: sin and cos of one float64 in a body are those of each alone") {
  if (conformance::devices().empty() || !conformance::devices().front().is_cpu()) return conformance::note_not_run("cpu");
  std::vector<double> angles{0, -0.0, INFINITY, -INFINITY, NAN, std::numeric_limits<double>::denorm_min(), 0x1p23, -0x1p23};
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> near(-20, 20);
  for (int i = 0; i < 1 << 20; ++i) {
    const std::uint64_t bits = random();
    double any = 0;
    std::memcpy(&any, &bits, 8);
    angles.push_back(any);
    angles.push_back(near(random));
    // Next to multiples of a quarter of a turn, where little is left of the angle.
    const double quarter = static_cast<double>(static_cast<std::int64_t>(random() >> 40) - (1 << 23)) * 1.5707963267948966;
    angles.push_back(quarter);
  }
  CHECK(count_other_bits(by_calls, angles) == 0);
  CHECK(count_other_bits(by_sincos, angles) == 0);
}

// The angles of two pairs, and of functions with other arguments beside them.
TEST_CASE("math: sines and cosines of several angles in a body") {
  if (conformance::devices().empty() || !conformance::devices().front().is_cpu()) return conformance::note_not_run("cpu");
  const kiln::Ufunc several =
      kiln::vectorize({.signatures = {"(T a, T b, T c, T d, T e)(T x) where T: float32, float64"},
                       .body = "a = sin(x); b = cos(x + 1); c = cos(x); d = sin(x + 1); e = sin(x + 2);"});
  for (const kiln::DType dtype : {kiln::DType::float32, kiln::DType::float64}) {
    // Some angles are far, where the functions leave a register's lanes to others.
    std::vector<double> values;
    for (int i = 0; i < 1000; ++i) values.push_back(i % 97 == 5 ? 1e9 * i : 0.37 * i - 150);
    const kiln::Array x = angles_of(values).astype(dtype, kiln::Casting::unsafe);
    const kiln::Array one = kiln::Array::full({1}, 1.0).astype(dtype), two = kiln::Array::full({1}, 2.0).astype(dtype);
    const auto got = several.outputs<5>(x);
    const kiln::Array want[] = {kiln::math::sin(x), kiln::math::cos(x + one), kiln::math::cos(x), kiln::math::sin(x + one),
                                kiln::math::sin(x + two)};
    for (std::size_t i = 0; i < 5; ++i) CHECK_MESSAGE(bits_of(got[i]) == bits_of(want[i]), i);
  }
}

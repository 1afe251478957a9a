#include "values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <sstream>

namespace conformance {
namespace {

constexpr long double kTwo64 = 18446744073709551616.0L;

/// All finite magnitudes in rising order: the bits are their index.
const std::vector<long double>& magnitudes(bool bfloat) {
  static const auto table = [](bool brain) {
    std::vector<long double> values;
    const std::uint16_t infinity = brain ? 0x7f80 : 0x7c00;
    for (std::uint16_t bits = 0; bits < infinity; ++bits) values.push_back(decode_half(bits, brain));
    return values;
  };
  static const std::vector<long double> half = table(false);
  static const std::vector<long double> brain = table(true);
  return bfloat ? brain : half;
}

template <class T>
T wrapped(long double value) {
  long double rest = std::fmod(std::trunc(value), kTwo64);
  if (rest < 0) rest += kTwo64;
  return static_cast<T>(static_cast<std::uint64_t>(rest));
}

template <class T>
T element(Exact value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != Exact(0);
  } else if constexpr (std::is_same_v<T, kiln::float16> || std::is_same_v<T, kiln::bfloat16>) {
    return T::from_bits(encode_half(value.real(), std::is_same_v<T, kiln::bfloat16>));
  } else if constexpr (std::is_integral_v<T>) {
    return wrapped<T>(value.real());
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value.real());
  } else {
    return T(static_cast<typename T::value_type>(value.real()), static_cast<typename T::value_type>(value.imag()));
  }
}

template <class T>
Exact exact(const T& value) {
  if constexpr (std::is_same_v<T, kiln::float16> || std::is_same_v<T, kiln::bfloat16>) {
    return decode_half(value.bits, std::is_same_v<T, kiln::bfloat16>);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<long double>(value);
  } else {
    return {static_cast<long double>(value.real()), static_cast<long double>(value.imag())};
  }
}

bool close(long double got, long double expected, long double bound) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  return got == expected || std::fabs(got - expected) <= bound;
}

}  // namespace

long double decode_half(std::uint16_t bits, bool bfloat) {
  const int mantissa_bits = bfloat ? 7 : 10;
  const int exponent_mask = bfloat ? 0xff : 0x1f;
  const int bias = bfloat ? 127 : 15;
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const int exponent = (bits >> mantissa_bits) & exponent_mask;
  long double magnitude;
  if (exponent == exponent_mask) {
    magnitude = mantissa == 0 ? std::numeric_limits<long double>::infinity() : std::numeric_limits<long double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<long double>(mantissa), 1 - bias - mantissa_bits);
  } else {
    magnitude = std::ldexp(static_cast<long double>(mantissa + (1 << mantissa_bits)), exponent - bias - mantissa_bits);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint16_t encode_half(long double value, bool bfloat) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const std::uint16_t infinity = bfloat ? 0x7f80 : 0x7c00;
  if (std::isnan(value)) return static_cast<std::uint16_t>(infinity | (infinity >> 1) | 1);
  const long double magnitude = std::fabs(value);
  const std::vector<long double>& table = magnitudes(bfloat);
  const auto above = std::lower_bound(table.begin(), table.end(), magnitude);
  auto bits = static_cast<std::uint16_t>(above - table.begin());
  if (above == table.end()) {
    // Past the largest one: half a step further is infinity.
    const long double step = table.back() - *(table.end() - 2);
    bits = magnitude < table.back() + step / 2 ? static_cast<std::uint16_t>(infinity - 1) : infinity;
  } else if (*above != magnitude) {
    const long double below = *(above - 1);
    const long double to_above = *above - magnitude;
    const long double to_below = magnitude - below;
    if (to_below < to_above || (to_below == to_above && bits % 2 != 0)) --bits;
  }
  return static_cast<std::uint16_t>(bits | sign);
}

Exact rounded(kiln::DType dtype, Exact value) {
  return with_type(dtype, [&]<class T>(std::type_identity<T>) { return exact(element<T>(value)); });
}

kiln::Array make(kiln::DType dtype, const std::vector<Exact>& values, std::optional<kiln::Shape> shape) {
  return with_type(dtype, [&]<class T>(std::type_identity<T>) {
    const std::unique_ptr<T[]> elements(new T[values.size() + 1]);
    std::transform(values.begin(), values.end(), elements.get(), element<T>);
    const kiln::Array list = kiln::Array::from(std::span<const T>(elements.get(), values.size()));
    return shape ? list.reshape(*shape) : list;
  });
}

std::vector<Exact> read(const kiln::Array& array) {
  return with_type(array.dtype(), [&]<class T>(std::type_identity<T>) {
    std::vector<Exact> values;
    values.reserve(static_cast<std::size_t>(array.size()));
    for (const T value : array.template to_vector<T>()) values.push_back(exact(value));
    return values;
  });
}

bool same_bits(const kiln::Array& a, const kiln::Array& b) {
  if (!(a.shape() == b.shape()) || a.dtype() != b.dtype()) return false;
  const kiln::Array x = a.copy();
  const kiln::Array y = b.copy();
  return std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.nbytes())) == 0;
}

std::string difference(const std::vector<Exact>& got, const std::vector<Exact>& expected, long double tolerance,
                       long double absolute) {
  std::ostringstream text;
  text.precision(21);
  if (got.size() != expected.size()) {
    text << got.size() << " elements, not " << expected.size();
    return text.str();
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const long double bound = std::max(tolerance * std::abs(expected[i]), absolute);
    if (close(got[i].real(), expected[i].real(), bound) && close(got[i].imag(), expected[i].imag(), bound)) continue;
    if (wrong++ == 0) text << "element " << i << " is " << got[i] << ", not " << expected[i];
  }
  if (wrong > 1) text << " (" << wrong << " of " << got.size() << " differ)";
  return text.str();
}

}  // namespace conformance

#include "numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

namespace math_tests {
namespace {

using kiln::DType;
using kiln::Kind;

std::size_t word_size(DType dtype) {
  return kiln::itemsize(dtype) / (kiln::kind(dtype) == Kind::complex ? 2 : 1);
}

long double decode(std::uint64_t bits, DType dtype) {
  switch (dtype) {
    case DType::float16: {
      const int exponent = static_cast<int>(bits >> 10 & 31);
      const auto fraction = static_cast<long double>(bits & 1023);
      const long double sign = (bits & 0x8000) != 0 ? -1 : 1;
      if (exponent == 31) return fraction != 0 ? std::nanl("") : sign * INFINITY;
      return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
    }
    case DType::bfloat16:
      bits <<= 16;
      [[fallthrough]];
    case DType::float32:
    case DType::complex64: {
      const auto narrow = static_cast<std::uint32_t>(bits);
      float value;
      std::memcpy(&value, &narrow, 4);
      return value;
    }
    case DType::float64:
    case DType::complex128: {
      double value;
      std::memcpy(&value, &bits, 8);
      return value;
    }
    case DType::bool_:
      return bits != 0;
    default: {
      const int unused = 64 - 8 * static_cast<int>(kiln::itemsize(dtype));
      if (!kiln::is_signed(dtype)) return static_cast<long double>(bits);
      return static_cast<long double>(static_cast<std::int64_t>(bits << unused) >> unused);
    }
  }
}

/// The distance of neighbours at that magnitude.
long double unit(long double magnitude, DType dtype) {
  const int digits = dtype == DType::float16 ? 11 : dtype == DType::bfloat16 ? 8 : word_size(dtype) == 4 ? 24 : 53;
  const int least = dtype == DType::float16 ? -24 : dtype == DType::bfloat16 ? -133 : word_size(dtype) == 4 ? -149 : -1074;
  if (magnitude == 0 || !std::isfinite(magnitude)) return std::ldexp(1.0L, least);
  return std::ldexp(1.0L, std::max(std::ilogb(magnitude) + 1 - digits, least));
}

bool same_special(long double got, long double want) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want)) return got == want;
  return want == 0 && got == 0 && std::signbit(got) == std::signbit(want);
}

struct Element {
  long double re, im;
};

bool close(const Element& got, const Element& want, long double scale, double tolerance, DType dtype) {
  const auto one = [&](long double g, long double w) {
    if (same_special(g, w) || g == w) return true;
    // Overflow is a matter of the last bits, too.
    const long double most = dtype == DType::float16                             ? 65504
                             : word_size(dtype) == 4 || dtype == DType::bfloat16 ? std::numeric_limits<float>::max()
                                                                                 : std::numeric_limits<double>::max();
    const long double a = std::isinf(g) ? std::copysign(most, g) : g;
    const long double b = std::isinf(w) ? std::copysign(most, w) : w;
    return std::abs(a - b) <= tolerance * unit(std::max(scale, std::abs(b)), dtype);
  };
  // C leaves the sign of an infinity beside a NaN open, mostly.
  if (std::isnan(want.re) && std::isinf(want.im)) return std::isnan(got.re) && std::isinf(got.im);
  if (std::isnan(want.im) && std::isinf(want.re)) return std::isnan(got.im) && std::isinf(got.re);
  return one(got.re, want.re) && one(got.im, want.im);
}

}  // namespace

kiln::Array array_of(const Bits& bits, DType dtype) {
  const std::size_t size = word_size(dtype);
  const auto count = static_cast<std::int64_t>(bits.size() * size / kiln::itemsize(dtype));
  kiln::Array array = kiln::Array::empty({count}, dtype);
  auto* const to = static_cast<char*>(array.data());
  for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(to + i * size, &bits[i], size);
  return array;
}

Bits bits_of(const kiln::Array& host) {
  const std::size_t size = word_size(host.dtype());
  Bits bits(static_cast<std::size_t>(host.nbytes()) / size, 0);
  const auto* const from = static_cast<const char*>(host.data());
  for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(&bits[i], from + i * size, size);
  return bits;
}

std::string difference(const kiln::Array& array, const Case& golden, std::size_t output,
                       const std::vector<kiln::Array>& inputs) {
  const DType dtype = golden.outputs[output];
  const Bits got = bits_of(array);
  const Bits& want = golden.results[output];
  if (got.size() != want.size()) return "the number of elements";
  const std::size_t parts = kiln::kind(dtype) == Kind::complex ? 2 : 1;
  const auto element = [&](const Bits& bits, std::size_t i, DType of, std::size_t of_parts) {
    return Element{decode(bits[i * of_parts], of), of_parts == 2 ? decode(bits[i * 2 + 1], of) : 0.0L};
  };
  const bool order = golden.function.find("max") != std::string::npos || golden.function.find("min") != std::string::npos ||
                     golden.function == "clip";
  std::ostringstream text;
  int shown = 0;
  for (std::size_t i = 0; i < want.size() / parts; ++i) {
    const Element g = element(got, i, dtype, parts);
    const Element w = element(want, i, dtype, parts);
    bool good = false;
    if (golden.mode == "exact") {
      const auto one = [&](long double a, long double b) { return same_special(a, b) || (a == b && (a != 0 || order)); };
      good = kiln::kind(dtype) < Kind::floating ? std::equal(&got[i * parts], &got[i * parts] + parts, &want[i * parts])
                                                : one(g.re, w.re) && one(g.im, w.im);
    } else {
      long double scale = 0;
      if (golden.mode == "norm") {
        for (const long double part : {w.re, w.im}) scale = std::max(scale, std::isfinite(part) ? std::abs(part) : 0);
      } else if (golden.mode == "scaled") {
        for (const kiln::Array& input : inputs) {
          const long double x = std::abs(decode(bits_of(input)[i], input.dtype()));
          scale = std::max(scale, std::isfinite(x) ? x : 0);
        }
      }
      good = close(g, w, scale, golden.tolerance, dtype);
    }
    if (good || ++shown > 4) continue;
    text << "\n  [" << i << "] (";
    text.precision(18);
    for (const kiln::Array& input : inputs) {
      const std::size_t input_parts = kiln::kind(input.dtype()) == Kind::complex ? 2 : 1;
      const Element x = element(bits_of(input), i, input.dtype(), input_parts);
      text << (&input == &inputs.front() ? "" : ", ") << x.re;
      if (input_parts == 2) text << (std::signbit(x.im) ? "-" : "+") << std::abs(x.im) << "j";
    }
    text << ") gives " << g.re;
    if (parts == 2) text << ", " << g.im << "j";
    text << ", expected " << w.re;
    if (parts == 2) text << ", " << w.im << "j";
  }
  if (shown > 4) text << "\n  and " << shown - 4 << " more";
  return text.str();
}

}  // namespace math_tests

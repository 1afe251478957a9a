#include "reduce/identity_probe.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

#include "base/environment.hpp"
#include "base/have_cpu.hpp"
#include "device/backend.hpp"
#include "kiln/error.hpp"
#include "reduce/identity_literal.hpp"
#include "reduce/method.hpp"
#include "shared/float_environment.hpp"
#include "types/convert.hpp"
#include "types/each_dtype.hpp"
#include "ufunc/call.hpp"

namespace kiln::reduce {
namespace {

// Pairs whose results are tried: an identity need not hold for what f never gives, as 0 of hypot for negative numbers.
// Far out, where -1000 is not the least; not so far that a loop which counts up to it would not end, or that a square is
// infinite.
constexpr double kLarge = 1e7;
constexpr double kLargeHalf = 200;
constexpr double kFirst[] = {1, 2, -1, 3, 0.5, 100, -7, 1, -kLarge, kLarge};
constexpr double kSecond[] = {3, -2, -5, 1, 4, 7, 0.25, 1, -kLarge, kLarge};
constexpr std::size_t kCount = std::size(kFirst);

Array values(const double (&numbers)[kCount], DType dtype) {
  const Array array = Array::empty({static_cast<std::int64_t>(kCount)}, dtype);
  const bool no_sign = dtype == DType::bool_ || !can_cast(DType::int8, dtype, Casting::same_kind);
  auto* to = static_cast<char*>(array.data());
  for (const double number : numbers) {
    const double positive = is_half(dtype) ? std::min(std::abs(number), kLargeHalf) : std::abs(number);
    const double value = no_sign ? positive : std::copysign(positive, number);
    convert_scalar(DType::float64, &value, dtype, to);
    to += itemsize(dtype);
  }
  return array;
}

std::complex<double> element(const Array& array, std::int64_t i) {
  std::complex<double> value;
  convert_scalar(array.dtype(), static_cast<const char*>(array.data()) + i * static_cast<std::int64_t>(itemsize(array.dtype())),
                 DType::complex128, &value);
  return value;
}

bool same(std::complex<double> a, std::complex<double> b) {
  const auto equal = [](double x, double y) { return x == y || (x != x && y != y); };
  return equal(a.real(), b.real()) && equal(a.imag(), b.imag());
}

void probe(const detail::UfuncImpl& ufunc, DType dtype) {
  const base::DefaultFloatEnvironment floats;
  const Device cpu = Device::cpu();
  const Array first = to_device(values(kFirst, dtype), cpu);
  const Array second = to_device(values(kSecond, dtype), cpu);
  const Arg args[] = {first, second};
  const CallOptions options;
  Array tried;
  ufunc::Call(ufunc, args, options).run({&tried, 1});
  // A row for each: the identity stands in front of its one element. An integer 0 might be divided by.
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(kCount); ++i) {
    const std::complex<double> x = element(tried, i);
    if (kind(dtype) == Kind::integer && x == 0.0) continue;
    const Array one = tried[{Slice{.start = i, .stop = i + 1}}];
    ReduceOptions reducing;
    reducing.dtype = dtype;
    const Array got = reduce(ufunc, one, reducing);
    if (same(element(got, 0), x)) continue;
    const std::string& identity = ufunc.definition().identity;
    throw TypeError(ufunc.name() + ": .identity is \"" + identity + "\", but " + ufunc.name() + "(" + identity + ", x) is " +
                    to_string(got) + " where x is " + to_string(one.reshape({})) + ", in " + std::string(name(dtype)) +
                    "; give the value that changes none, or leave it out and set .reorderable");
  }
}

}  // namespace

void probe_identity(const detail::UfuncImpl& ufunc, DType dtype) {
  // What it calls itself asks no more.
  thread_local bool probing = false;
  if (!KILN_HAVE_CPU || probing || base::env("KILN_DEBUG") != "1") return;
  // The call says so, where it takes part.
  if (!identity_fits(ufunc.definition().identity, dtype)) return;
  struct Guard {
    ~Guard() { probing = false; }
  } const guard;
  probing = true;
  probe(ufunc, dtype);
}

}  // namespace kiln::reduce

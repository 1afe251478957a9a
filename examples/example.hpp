// What the examples share: making input, timing, checking a result against values computed in double, and telling of it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "kiln/kiln.hpp"

namespace example {

/// The same numbers on every run.
template <class T>
std::vector<T> random_values(std::size_t count, double low, double high, unsigned seed) {
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(uniform(bits));
  return values;
}

/// The shortest of several runs, in seconds.
template <class F>
double best_seconds(const F& work, int runs = 7) {
  double best = 1e30;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

/// |a - b|, where b is the more precise one; equal where both are nan.
template <class T>
double distance(T a, T b) {
  if constexpr (requires { a.real(); }) {
    return std::hypot(distance(a.real(), b.real()), distance(a.imag(), b.imag()));
  } else {
    if (std::isnan(a) && std::isnan(b)) return 0;
    return std::abs(static_cast<double>(a) - static_cast<double>(b));
  }
}

/// Whether every value is within `tolerance` times the expected one's size (at least `floor`); prints the first that is not,
/// or the largest relative error.
template <class T, class Expected>
bool check(const std::vector<T>& values, const Expected& expected, double tolerance, double floor = 1e-30) {
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto want = expected(i);
    const auto have = static_cast<std::remove_const_t<decltype(want)>>(values[i]);
    const double size = std::max(static_cast<double>(std::abs(want)), floor);
    const double error = distance(have, want) / (std::isnan(size) ? 1.0 : size);
    if (!(error <= tolerance)) {
      std::printf("  MISMATCH at element %zu: relative error %.3g, at most %.3g is right\n", i, error, tolerance);
      return false;
    }
    worst = std::max(worst, error);
  }
  std::printf("  checked    %zu values, largest relative error %.2g\n", values.size(), worst);
  return true;
}

inline void print_title(const char* text, const kiln::Array& result) {
  const kiln::Device device = result.device();
  std::printf("%s\n  device     %s (%s)\n  result     %s %s\n", text, to_string(device).c_str(), device.info().name.c_str(),
              std::string(name(result.dtype())).c_str(), to_string(result.shape()).c_str());
}

/// `bytes`: what one run reads and writes.
inline void print_speed(double bytes, double kiln_seconds, double loop_seconds) {
  std::printf("  kiln       %8.3f ms  %6.2f GB/s\n", kiln_seconds * 1e3, bytes / kiln_seconds / 1e9);
  std::printf("  plain loop %8.3f ms  %6.2f GB/s  (one thread)\n", loop_seconds * 1e3, bytes / loop_seconds / 1e9);
}

/// The exit status: 0 where `body` gives true; an exception is printed.
template <class F>
int run(const F& body) {
  try {
    return body() ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("error: %s\n", error.what());
    return 1;
  }
}

}  // namespace example

// kiln::random against plain loops over the standard library's generators, in turn; bench/random_numbers.py adds NumPy's
// Generator. usage: kiln-random-bench [ROUNDS [N]]     (each line: distribution, dtype, ns of kiln and of the loop for a
// number)
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "kiln/random.hpp"

namespace {

using Clock = std::chrono::steady_clock;

template <class Run>
double seconds(const Run& run) {
  const Clock::time_point start = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class T, class Distribution>
void compare(const char* name, kiln::Array (*make)(const kiln::Shape&, const kiln::random::Options&), std::int64_t n,
             int rounds) {
  std::mt19937_64 generator(1);
  Distribution distribution;
  double kiln = 1e9, plain = 1e9;
  for (int round = 0; round <= rounds; ++round) {
    kiln = std::min(kiln, seconds([&] { (void)make({n}, {.seed = 1, .dtype = kiln::dtype_of<T>}); }));
    plain = std::min(plain, seconds([&] {
                       std::vector<T> values(static_cast<std::size_t>(n));
                       for (T& x : values) x = static_cast<T>(distribution(generator));
                     }));
  }
  const double scale = 1e9 / static_cast<double>(n);
  std::printf("%s %s %.3f %.3f\n", name, kiln::name(kiln::dtype_of<T>).data(), kiln * scale, plain * scale);
}

kiln::Array few(const kiln::Shape& shape, const kiln::random::Options& options) {
  return kiln::random::poisson(4, shape, options);
}
kiln::Array many(const kiln::Shape& shape, const kiln::random::Options& options) {
  return kiln::random::poisson(100, shape, options);
}
struct Few : std::poisson_distribution<std::int64_t> {
  Few() : poisson_distribution(4) {}
};
struct Many : std::poisson_distribution<std::int64_t> {
  Many() : poisson_distribution(100) {}
};

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 10;
  const std::int64_t n = count > 2 ? std::atoll(arguments[2]) : 1'000'000;
  compare<float, std::uniform_real_distribution<float>>("random", kiln::random::uniform, n, rounds);
  compare<double, std::uniform_real_distribution<double>>("random", kiln::random::uniform, n, rounds);
  compare<float, std::normal_distribution<float>>("standard_normal", kiln::random::normal, n, rounds);
  compare<double, std::normal_distribution<double>>("standard_normal", kiln::random::normal, n, rounds);
  compare<float, std::exponential_distribution<float>>("standard_exponential", kiln::random::exponential, n, rounds);
  compare<double, std::exponential_distribution<double>>("standard_exponential", kiln::random::exponential, n, rounds);
  compare<std::int64_t, Few>("poisson(4)", few, n, rounds);
  compare<std::int64_t, Many>("poisson(100)", many, n, rounds);
}

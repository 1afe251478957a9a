// A gather from a raw operand, beside the loop that one writes by hand: milliseconds of one thread, the shortest of many calls.
// usage: kiln-gather [ROUNDS], 20 if it is left out
#include <kiln/kiln.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "plain_loops.hpp"

namespace {

template <class Work>
double shortest(int rounds, const Work& work) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  const kiln::Device one = kiln::Device::cpu({.threads = 1});
  const kiln::Ufunc gather = kiln::vectorize("float32(int32 k, raw float32 table)", "return table[k];");
  std::printf("elements   table      kiln     plain  ratio\n");
  for (const std::int64_t n : {100'000, 1'000'000, 10'000'000}) {
    for (const std::int64_t entries : {1'000, 1'000'000}) {
      const kiln::Array k = kiln::Array::empty({n}, kiln::DType::int32);
      const kiln::Array table = kiln::Array::zeros({entries}, kiln::DType::float32);
      const kiln::Array y = kiln::Array::zeros({n}, kiln::DType::float32);
      std::uint32_t state = 1;
      for (std::int64_t i = 0; i < n; ++i) {
        state = state * 1664525 + 1013904223;
        k.as<std::int32_t>()[i] = static_cast<std::int32_t>(state % static_cast<std::uint32_t>(entries));
      }
      gather(k, table, {.out = y, .device = one});
      const double kiln_time = shortest(rounds, [&] { gather(k, table, {.out = y, .device = one}); });
      const double plain_time =
          shortest(rounds, [&] { kiln::bench::plain_gather(k.as<std::int32_t>(), table.as<float>(), y.as<float>(), n); });
      std::printf("%8lld %7lld  %8.3f  %8.3f  %5.2f\n", static_cast<long long>(n), static_cast<long long>(entries), kiln_time,
                  plain_time, kiln_time / plain_time);
    }
  }
}

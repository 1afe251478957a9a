// A gather from a raw operand, beside the loop that one writes by hand: milliseconds of one thread, the shortest of many calls.
// Then calls of few elements, and first calls, which compile: with raw operands and in CuPy's notation, beside plain ones.
// usage: kiln-gather [ROUNDS], 20 if it is left out
#include <kiln/kiln.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

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

/// Each form of a kernel of two inputs; `salt` is a comment that no cache has seen.
std::vector<std::pair<const char*, kiln::Ufunc>> forms(const std::string& salt) {
  using kiln::vectorize;
  const auto cupy = [&](const char* in, const char* text) {
    return kiln::cupy::elementwise({.in_params = in, .out_params = "float32 y", .operation = salt + text, .name = "f"});
  };
  return {{"plain", vectorize("float32(int32 k, float32 x)", salt + "return k * x;")},
          {"raw", vectorize("float32(int32 k, raw float32 x)", salt + "return x[k];")},
          {"raw, index()", vectorize("float32(int32 k, raw float32 x)", salt + "return x[index()] + k;")},
          {"CuPy's, plain", cupy("int32 k, float32 x", "y = k * x")},
          {"CuPy's, raw", cupy("int32 k, raw float32 x", "y = x[k]")},
          {"CuPy's, raw, i", cupy("int32 k, raw float32 x", "y = x[i] + k")}};
}

void measure_calls(int rounds, const kiln::Device& device) {
  const kiln::Array k = kiln::Array::zeros({100}, kiln::DType::int32);
  const kiln::Array x = kiln::Array::zeros({100}, kiln::DType::float32);
  const kiln::Array y = kiln::Array::zeros({100}, kiln::DType::float32);
  std::printf("form              call, ns  first, ms\n");
  std::vector<double> first(forms("").size(), 1e9);
  for (int round = 0; round < rounds; ++round) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const auto fresh = forms("/* " + std::to_string(now) + " */ ");
    for (std::size_t f = 0; f < fresh.size(); ++f) {
      first[f] = std::min(first[f], shortest(1, [&] { fresh[f].second(k, x, {.out = y, .device = device}); }));
    }
  }
  const auto kept = forms("");
  for (std::size_t f = 0; f < kept.size(); ++f) {
    constexpr int kCalls = 1000;
    const double ms = shortest(10 * rounds, [&] {
      for (int call = 0; call < kCalls; ++call) kept[f].second(k, x, {.out = y, .device = device});
    });
    std::printf("%-16s  %8.0f  %9.2f\n", kept[f].first, ms * 1e6 / kCalls, first[f]);
  }
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
  measure_calls(rounds, one);
}

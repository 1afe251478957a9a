// The look-back of scans over records in every state that other blocks may have left them in: in a scan no test decides how far
// each block has come when another one looks.
#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "kiln/kiln.hpp"

namespace {

using namespace kiln;

enum State : std::uint64_t { kTotal = 1, kRunning = 2 };

/// As a text of the user's: without what it includes, which each kernel has, and in another namespace than kiln's.
std::string device_header(const std::string& name) {
  const std::string kilns = "namespace kiln::loops";
  std::ifstream file(KILN_KERNELS_DIR "/" + name);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kilns)) line.replace(0, kilns.size(), "namespace scans");
    if (!line.starts_with("#include") && !line.starts_with("#pragma once")) text += line + "\n";
  }
  return text;
}

/// Composition of maps x -> m x + c, whose halves are m and c: associative, but the order shows.
constexpr const char* kCombination = R"(
struct composition {
  using state = @;
  static constexpr int half = sizeof(state) * 4;
  static KILN_FN state combine(state a, state b) {
    const state low = (state(1) << half) - 1;
    return (a >> half) * (b >> half) << half | (((a & low) * (b >> half) + b) & low);
  }
};)";

template <class T>
struct Case {
  std::vector<T> values;      ///< of chunks
  std::vector<State> states;  ///< the first is kRunning
};

template <class T>
T composed(T a, T b) {
  constexpr int kHalf = sizeof(T) * 4;
  constexpr T kLow = (T{1} << kHalf) - 1;
  return static_cast<T>((a >> kHalf) * (b >> kHalf) << kHalf | (((a & kLow) * (b >> kHalf) + b) & kLow));
}

/// What the device finds to run up to the end of the last chunk.
template <class T>
T looked_back(const Case<T>& some, const char* type) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < some.values.size(); ++i) {
    for (std::size_t half = 0; half < sizeof(T) / 4; ++half) {
      words.push_back(some.states[i] << 32 | (static_cast<std::uint64_t>(some.values[i]) >> 32 * half & 0xffffffff));
    }
  }
  std::string combination = kCombination;
  combination.replace(combination.find('@'), 1, type);
  const RawKernel look =
      kernel({.name = "look",
              .signature = "void(uint64* words, uint32 number, uint64* out)",
              .body = R"(
  const auto* records = reinterpret_cast<const scans::chunk_record<composition::state>*>(words);
  const auto found = scans::look_back<composition>(records, number, threadIdx.x);
  if (threadIdx.x == 0) *out = found;)",
              .compile = {.preamble = device_header("core/atomics.hpp") + device_header("core/lanes_gpu.hpp") +
                                      device_header("scan/look_back_gpu.hpp"),
                          .functions = combination}});
  const Device device = Device::emulated("sm_90");
  const Array out = to_device(Array::from(std::vector<std::uint64_t>(1)), device);
  look({.grid = {1}, .block = {32}}, to_device(Array::from(words), device), static_cast<std::uint32_t>(some.values.size()),
       out);
  return static_cast<T>(out.copy_to_host().to_vector<std::uint64_t>()[0]);
}

template <class T>
void check(const char* type) {
  std::mt19937_64 random(7);
  for (const auto chunks : std::vector<std::size_t>{1, 2, 31, 32, 33, 64, 65, 100}) {
    // How many of the newest are totals: as many as a window has, one less and one more, and all.
    for (const auto totals : std::vector<std::size_t>{0, 1, 31, 32, 33, chunks - 1}) {
      if (totals >= chunks) continue;
      Case<T> some;
      for (std::size_t i = 0; i < chunks; ++i) {
        some.values.push_back(static_cast<T>(random() | random() << 32));
        const bool runs = i == 0 || i + 1 + totals == chunks || (i + 1 + totals < chunks && random() % 2 == 0);
        some.states.push_back(runs ? kRunning : kTotal);
      }
      T expected = some.values[chunks - 1 - totals];
      for (std::size_t i = chunks - totals; i < chunks; ++i) expected = composed(expected, some.values[i]);
      INFO(std::string(type) << ", " << chunks << " chunks, " << totals << " totals");
      CHECK(looked_back(some, type) == expected);
    }
  }
}

}  // namespace

TEST_CASE("emulated: a chunk of a scan looks back over totals to the nearest running result, in order") {
  check<std::uint32_t>("uint32");
  check<std::uint64_t>("uint64");
}

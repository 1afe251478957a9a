// The look-back of scans in every place of a line: which totals it combines, in which order, and what it tells others.
#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kiln/kernel.hpp"

namespace {

using namespace kiln;

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
T composed(T a, T b) {
  constexpr int kHalf = sizeof(T) * 4;
  constexpr T kLow = (T{1} << kHalf) - 1;
  return static_cast<T>((a >> kHalf) * (b >> kHalf) << kHalf | (((a & kLow) * (b >> kHalf) + b) & kLow));
}

constexpr std::size_t kGroup = 32;

/// The cells of a line on the device (kernels-src/scan/look_back_gpu.hpp).
template <class T>
class Cells {
 public:
  static constexpr std::size_t kWords = sizeof(T) / 4;

  explicit Cells(std::size_t count) : words_(count * kWords) {}
  explicit Cells(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
  void publish(std::size_t cell, T value) {
    for (std::size_t k = 0; k < kWords; ++k) {
      words_[cell * kWords + k] = std::uint64_t{1} << 32 | (static_cast<std::uint64_t>(value) >> 32 * k & 0xffffffff);
    }
  }
  [[nodiscard]] std::optional<T> at(std::size_t cell) const {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < kWords; ++k) {
      const std::uint64_t word = words_[cell * kWords + k];
      if (word >> 32 != 1) return std::nullopt;
      value |= (word & 0xffffffff) << 32 * k;
    }
    return static_cast<T>(value);
  }
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

template <class T>
RawKernel look(const std::string& type) {
  std::string combination = kCombination;
  combination.replace(combination.find('@'), 1, type);
  return kernel({.name = "look",
                 .signature = "void(uint64* words, uint32 chunks, uint32 number, uint64 total, uint64* out)",
                 .body = R"(
  using totals = scans::chunk_totals<composition>;
  const totals all(reinterpret_cast<totals::cell*>(words), chunks);
  const auto found = all.look_back(number, composition::state(total), threadIdx.x, false);
  if (threadIdx.x == 0) {
    *out = found;
  })",
                 .compile = {.preamble = device_header("core/lanes_gpu.hpp") + device_header("scan/look_back_gpu.hpp"),
                             .functions = combination}});
}

/// Chunk `number` of a line, after all before it. Others may be done, too.
template <class T>
void check_chunk(const RawKernel& look, const std::vector<T>& totals, std::size_t number) {
  const std::size_t chunks = totals.size(), groups = chunks / kGroup, large = groups / kGroup;
  std::vector<T> running(totals);
  for (std::size_t i = 1; i < chunks; ++i) running[i] = composed(running[i - 1], totals[i]);
  const auto group_total = [&](std::size_t group) {
    T all = totals[group * kGroup];
    for (std::size_t i = 1; i < kGroup; ++i) all = composed(all, totals[group * kGroup + i]);
    return all;
  };
  Cells<T> cells(chunks + groups + large);
  for (std::size_t i = 0; i < number; ++i) cells.publish(i, totals[i]);
  for (std::size_t i = 0; i < number / kGroup; ++i) cells.publish(chunks + i, group_total(i));
  for (std::size_t i = 0; i < number / kGroup / kGroup; ++i) {
    cells.publish(chunks + groups + i, running[(i + 1) * kGroup * kGroup - 1]);
  }
  const Device device = Device::emulated("sm_90");
  const Array words = to_device(Array::from(cells.words()), device);
  const Array out = to_device(Array::from(std::vector<std::uint64_t>(1)), device);
  look({.grid = {1}, .block = {32}}, words, static_cast<std::uint32_t>(chunks), static_cast<std::uint32_t>(number),
       static_cast<std::uint64_t>(totals[number]), out);
  const Cells<T> then(words.copy_to_host().to_vector<std::uint64_t>());
  INFO("chunk " << number << " of " << chunks);
  if (number > 0) CHECK(static_cast<T>(out.copy_to_host().to_vector<std::uint64_t>()[0]) == running[number - 1]);
  CHECK(then.at(number) == std::optional(totals[number]));
  const auto ends = [&](std::size_t size) { return number % size == size - 1; };
  for (std::size_t i = number / kGroup; i < groups; ++i) {
    const bool here = i == number / kGroup && ends(kGroup);
    CHECK(then.at(chunks + i) == (here ? std::optional(group_total(i)) : std::nullopt));
  }
  for (std::size_t i = number / kGroup / kGroup; i < large; ++i) {
    const bool here = i == number / kGroup / kGroup && ends(kGroup * kGroup);
    CHECK(then.at(chunks + groups + i) == (here ? std::optional(running[number]) : std::nullopt));
  }
}

template <class T>
void check(const std::string& type) {
  std::mt19937_64 random(7);
  std::vector<T> totals(3 * kGroup * kGroup + 2 * kGroup + 5);
  for (T& each : totals) each = static_cast<T>(random());
  const RawKernel kernel = look<T>(type);
  for (const std::size_t number :
       std::vector<std::size_t>{0,    1,    30,   31,   32,   33,   63,   64,   500,  991,  992,  1022,
                                1023, 1024, 1025, 1055, 1056, 2047, 2048, 3071, 3072, 3100, 3135, 3139}) {
    INFO(type);
    check_chunk(kernel, totals, number);
  }
}

}  // namespace

TEST_CASE("emulated: a chunk of a scan looks back over totals of chunks and groups, in order, and tells its own") {
  check<std::uint32_t>("uint32");
  check<std::uint64_t>("uint64");
}

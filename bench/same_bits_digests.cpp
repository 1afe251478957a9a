// Digests of functions with .compile.same_bits over bit patterns of float32, by the kernels of KILN_DEVICE and KILN_CPU_TARGET,
// for comparison between targets.
//   kiln-same-bits-digests [first] [last] [function]…    all patterns, in steps of 2^24: 0 to 256
//   kiln-same-bits-digests spread [function]…            2^22 of them: one of each 1024, at places that change
//   kiln-same-bits-digests check FILE                    the same, and compares: FILE has a function, its digest over 2^22 and
//       that over all, in each line. Takes a fifth of the functions, which KILN_TEST_FIRST chooses; with KILN_TEST_BIG=1 all
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/reduction.hpp"

namespace {

const std::vector<std::string> kFunctions{
    "exp",           "exp2",    "exp10",      "expm1",  "log",    "log2",  "log10", "log1p", "sin",    "cos",
    "tan",           "sinpi",   "cospi",      "asin",   "acos",   "atan",  "sinh",  "cosh",  "tanh",   "asinh",
    "acosh",         "atanh",   "sqrt",       "rsqrt",  "cbrt",   "rcbrt", "erf",   "erfc",  "erfinv", "erfcinv",
    "erfcx",         "normcdf", "normcdfinv", "tgamma", "lgamma", "j0",    "j1",    "y0",    "y1",     "cyl_bessel_i0",
    "cyl_bessel_i1", "rint",    "round",      "floor",  "trunc",  "ceil",  "logb"};

kiln::Array one_of_each_1024() {
  std::vector<std::uint32_t> patterns(std::size_t{1} << 22);
  for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<std::uint32_t>(i * 1024 + i % 1024);
  return kiln::Array::from(patterns);
}

/// A sum of mixed bits of patterns and results, in any order; a NaN counts as one.
class Digest {
 public:
  explicit Digest(const std::string& function)
      : sum_(kiln::reduction({.name = "digest",
                              .signatures = {"uint64(uint32 low, uint32 high)"},
                              .map = "const uint32 n = low | high << 24;\n"
                                     "const float y = " +
                                     function +
                                     "(bit_cast<float>(n));\n"
                                     "uint64 z = (y == y ? bit_cast<uint32>(y) : 0x7fc00000u) ^ uint64(n) << 32;\n"
                                     "z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;\n"
                                     "z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;\n"
                                     "return z ^ (z >> 31);",
                              .reduce = "return a + b;",
                              .identity = "0",
                              .compile = {.same_bits = true}})) {}
  /// Of the patterns low | high << 24 for each of `low`.
  [[nodiscard]] std::uint64_t operator()(const kiln::Array& low, std::int64_t high) const {
    return sum_({low, static_cast<std::uint32_t>(high)}).item<std::uint64_t>();
  }

 private:
  kiln::Reduction sum_;
};

std::string text_of(std::uint64_t digest) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
  return text;
}

int check(const char* name) {
  std::ifstream file(name);
  std::map<std::string, std::string> expected;
  for (std::string function, spread, all; file >> function >> spread >> all;) expected[function] = spread;
  const char* const first = std::getenv("KILN_TEST_FIRST");
  const std::size_t step = std::getenv("KILN_TEST_BIG") != nullptr ? 1 : 5;
  const kiln::Array patterns = one_of_each_1024();
  bool same = true;
  for (std::size_t i = (first != nullptr ? std::strtoull(first, nullptr, 10) : 0) % step; i < kFunctions.size(); i += step) {
    const std::string got = text_of(Digest(kFunctions[i])(patterns, 0));
    const bool alike = expected[kFunctions[i]] == got;
    std::printf("%s %s%s\n", kFunctions[i].c_str(), got.c_str(), alike ? "" : ("  WRONG: " + expected[kFunctions[i]]).c_str());
    same = same && alike;
  }
  return same ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "check" && count == 3) return check(arguments[2]);
  const bool spread = what == "spread";
  const std::int64_t first = count > 1 && !spread ? std::atoll(arguments[1]) : 0;
  const std::int64_t last = spread ? 1 : count > 2 ? std::atoll(arguments[2]) : 256;
  std::vector<std::string> functions(arguments + std::min(count, spread ? 2 : 3), arguments + count);
  if (functions.empty()) functions = kFunctions;
  std::vector<std::uint32_t> low(std::size_t{1} << 24);
  for (std::size_t i = 0; i < low.size(); ++i) low[i] = static_cast<std::uint32_t>(i);
  const kiln::Array patterns = spread ? one_of_each_1024() : kiln::Array::from(low);
  for (const std::string& function : functions) {
    const Digest digest(function);
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t sum = 0;
    for (std::int64_t high = first; high < last; ++high) sum += digest(patterns, high);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%s %s   %.1f s\n", function.c_str(), text_of(sum).c_str(), took.count());
    std::fflush(stdout);
  }
}

// Digests of functions with .compile.same_bits over bit patterns of float32, by the kernels of KILN_DEVICE and KILN_CPU_TARGET,
// for comparison between targets.
//   kiln-same-bits-digests [first] [last] [function]…    all patterns, in steps of 2^24: 0 to 256
//   kiln-same-bits-digests spread [function]…            2^22 of them: one of each 1024, at places that change
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/reduction.hpp"

int main(int count, char** arguments) {
  const bool spread = count > 1 && std::string(arguments[1]) == "spread";
  const std::int64_t first = count > 1 && !spread ? std::atoll(arguments[1]) : 0;
  const std::int64_t last = spread ? 1 : count > 2 ? std::atoll(arguments[2]) : 256;
  std::vector<std::string> functions(arguments + std::min(count, spread ? 2 : 3), arguments + count);
  if (functions.empty()) {
    functions = {"exp",           "exp2",   "exp10",  "expm1", "log",    "log2",    "log10", "log1p",
                 "sin",           "cos",    "tan",    "sinpi", "cospi",  "asin",    "acos",  "atan",
                 "sinh",          "cosh",   "tanh",   "asinh", "acosh",  "atanh",   "sqrt",  "rsqrt",
                 "cbrt",          "rcbrt",  "erf",    "erfc",  "erfinv", "erfcinv", "erfcx", "normcdf",
                 "normcdfinv",    "tgamma", "lgamma", "j0",    "j1",     "y0",      "y1",    "cyl_bessel_i0",
                 "cyl_bessel_i1", "rint",   "round",  "floor", "trunc",  "ceil",    "logb"};
  }
  std::vector<std::uint32_t> low(std::size_t{1} << (spread ? 22 : 24));
  for (std::size_t i = 0; i < low.size(); ++i) low[i] = static_cast<std::uint32_t>(spread ? i * 1024 + i % 1024 : i);
  const kiln::Array patterns = kiln::Array::from(low);
  for (const std::string& function : functions) {
    // A sum of mixed bits, in any order; a NaN counts as one.
    const kiln::Reduction digest =
        kiln::reduction({.name = "digest",
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
                         .compile = {.same_bits = true}});
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t sum = 0;
    for (std::int64_t high = first; high < last; ++high) {
      sum += digest({patterns, static_cast<std::uint32_t>(high)}).item<std::uint64_t>();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%-8s %016llx   %.1f s\n", function.c_str(), static_cast<unsigned long long>(sum), took.count());
    std::fflush(stdout);
  }
}

// The table follows llvm/lib/TargetParser/Host.cpp and the Intel and AMD manuals. Left out on purpose: avx10, as clang 19 gives
// worse code when it is named beside avx512; avx512fp16, as LLVM before 22 turns masked comparisons of halves round
// (llvm-project #159723: a < b became b < a), and kiln computes them in float32 anyway (lib/clang/passes/half_promotion.hpp).
#include "compiler/cpu/features.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace kiln::backend::cpu {
namespace {

enum Register : std::uint8_t { eax, ebx, ecx, edx };
enum class State : std::uint8_t { none, avx, avx512 };

struct Row {
  const char* name;
  std::uint32_t leaf;
  std::uint32_t subleaf;
  Register in;
  unsigned bit;
  State state = State::none;  // what the operating system must save for it
  int level = 0;              // of x86-64 that includes it; 0: none
};

constexpr std::uint32_t kExtended = 0x80000001;

constexpr Row kRows[] = {
    {"sse3", 1, 0, ecx, 0, State::none, 2},
    {"ssse3", 1, 0, ecx, 9, State::none, 2},
    {"cx16", 1, 0, ecx, 13, State::none, 2},
    {"sse4.1", 1, 0, ecx, 19, State::none, 2},
    {"sse4.2", 1, 0, ecx, 20, State::none, 2},
    {"popcnt", 1, 0, ecx, 23, State::none, 2},
    {"sahf", kExtended, 0, ecx, 0, State::none, 2},
    {"fma", 1, 0, ecx, 12, State::avx, 3},
    {"movbe", 1, 0, ecx, 22, State::none, 3},
    {"xsave", 1, 0, ecx, 26, State::avx, 3},
    {"avx", 1, 0, ecx, 28, State::avx, 3},
    {"f16c", 1, 0, ecx, 29, State::avx, 3},
    {"bmi", 7, 0, ebx, 3, State::none, 3},
    {"avx2", 7, 0, ebx, 5, State::avx, 3},
    {"bmi2", 7, 0, ebx, 8, State::none, 3},
    {"lzcnt", kExtended, 0, ecx, 5, State::none, 3},
    {"avx512f", 7, 0, ebx, 16, State::avx512, 4},
    {"avx512dq", 7, 0, ebx, 17, State::avx512, 4},
    {"avx512cd", 7, 0, ebx, 28, State::avx512, 4},
    {"avx512bw", 7, 0, ebx, 30, State::avx512, 4},
    {"avx512vl", 7, 0, ebx, 31, State::avx512, 4},
    {"avx512ifma", 7, 0, ebx, 21, State::avx512},
    {"avx512vbmi", 7, 0, ecx, 1, State::avx512},
    {"avx512vbmi2", 7, 0, ecx, 6, State::avx512},
    {"avx512vnni", 7, 0, ecx, 11, State::avx512},
    {"avx512bitalg", 7, 0, ecx, 12, State::avx512},
    {"avx512vpopcntdq", 7, 0, ecx, 14, State::avx512},
    {"avx512bf16", 7, 1, eax, 5, State::avx512},
    {"aes", 1, 0, ecx, 25},
    {"pclmul", 1, 0, ecx, 1},
    {"adx", 7, 0, ebx, 19},
    {"sha", 7, 0, ebx, 29},
    {"gfni", 7, 0, ecx, 8},
    {"vaes", 7, 0, ecx, 9, State::avx},
    {"vpclmulqdq", 7, 0, ecx, 10, State::avx},
    {"avxvnni", 7, 1, eax, 4, State::avx},
    {"avxifma", 7, 1, eax, 23, State::avx},
    {"avxvnniint8", 7, 1, edx, 4, State::avx},
    {"avxneconvert", 7, 1, edx, 5, State::avx},
    {"prfchw", kExtended, 0, ecx, 8},
};

bool saved(State state, std::uint64_t enabled) {
  constexpr std::uint64_t kAvx = 0x6;      // xmm, ymm
  constexpr std::uint64_t kAvx512 = 0xe6;  // and masks, upper halves, zmm16 to zmm31
  const std::uint64_t needed = state == State::none ? 0 : state == State::avx ? kAvx : kAvx512;
  return (enabled & needed) == needed;
}

/// The newest core that has what this one has. By features, not by model numbers: a virtual machine hides the one, not always
/// the other, and tuning is only a matter of speed.
std::string tuning(const CpuidSource& source, const std::vector<Feature>& features) {
  const auto has = [&](std::string_view name) {
    return std::any_of(features.begin(), features.end(), [&](const Feature& f) { return f.present && f.name == name; });
  };
  const CpuidRegisters vendor = source.query(0, 0);
  char name[13] = {};
  std::memcpy(name, &vendor[ebx], 4);
  std::memcpy(name + 4, &vendor[edx], 4);
  std::memcpy(name + 8, &vendor[ecx], 4);
  if (std::string_view(name) == "AuthenticAMD") {
    const std::uint32_t signature = source.query(1, 0)[eax];
    const std::uint32_t base = (signature >> 8) & 0xf;
    const std::uint32_t family = base == 0xf ? base + ((signature >> 20) & 0xff) : base;
    if (family >= 0x1a) return "znver5";
    if (family == 0x19) return has("avx512f") ? "znver4" : "znver3";
    if (family == 0x17) return "znver2";
    return "generic";
  }
  if (std::string_view(name) != "GenuineIntel") return "generic";
  if (has("avx512vbmi2") && has("avx512bf16")) return "sapphirerapids";
  if (has("avx512vbmi2")) return "icelake-server";
  if (has("avx512f")) return "skylake-avx512";
  if (has("avxvnni")) return "alderlake";
  if (has("avx2")) return "haswell";
  return "generic";
}

}  // namespace

HostFeatures detect(const CpuidSource& given) {
  // Each leaf once: a virtual machine takes microseconds for one.
  std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters> known;
  const CpuidSource source{.query =
                               [&](std::uint32_t leaf, std::uint32_t subleaf) {
                                 const auto [place, first] = known.try_emplace({leaf, subleaf});
                                 if (first) place->second = given.query(leaf, subleaf);
                                 return place->second;
                               },
                           .enabled_state = given.enabled_state};
  HostFeatures host;
  bool whole_level[5] = {true, true, true, true, true};
  for (const Row& row : kRows) {
    const bool present =
        (source.query(row.leaf, row.subleaf)[row.in] >> row.bit & 1U) != 0 && saved(row.state, source.enabled_state);
    host.features.push_back({row.name, present});
    if (row.level > 0 && !present) whole_level[row.level] = false;
  }
  while (host.level < 4 && whole_level[host.level + 1]) ++host.level;
  // Processors with half of AVX-512 (Xeon Phi) are used as those without.
  if (host.level < 4) {
    for (std::size_t i = 0; i < std::size(kRows); ++i) {
      if (kRows[i].state == State::avx512) host.features[i].present = false;
    }
  }
  host.tune = tuning(source, host.features);
  return host;
}

std::optional<std::vector<Feature>> parse_features(std::string_view text) {
  std::vector<Feature> features;
  for (const Row& row : kRows) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (word.empty() || (word.front() != '+' && word.front() != '-') || word.substr(1) != row.name) return std::nullopt;
    features.push_back({row.name, word.front() == '+'});
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  if (!text.empty()) return std::nullopt;
  return features;
}

CpuidSource host_cpuid() {
#if defined(__x86_64__)
  CpuidSource source;
  source.query = [](std::uint32_t leaf, std::uint32_t subleaf) {
    CpuidRegisters r{};
    if (__get_cpuid_count(leaf, subleaf, &r[eax], &r[ebx], &r[ecx], &r[edx]) == 0) r = {};
    return r;
  };
  constexpr std::uint32_t kOsXsave = 1U << 27;
  if ((source.query(1, 0)[ecx] & kOsXsave) != 0) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    source.enabled_state = std::uint64_t{high} << 32 | low;
  }
  return source;
#else
  return {.query = [](std::uint32_t, std::uint32_t) { return CpuidRegisters{}; }};
#endif
}

}  // namespace kiln::backend::cpu

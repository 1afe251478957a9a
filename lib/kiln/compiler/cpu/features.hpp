// What this processor can do, as clang names it: read from cpuid, so that a cache key needs no LLVM.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::backend::cpu {

/// The registers that cpuid gives: eax, ebx, ecx, edx.
using CpuidRegisters = std::array<std::uint32_t, 4>;

/// Where the facts come from; a test puts another processor in its place.
struct CpuidSource {
  std::function<CpuidRegisters(std::uint32_t leaf, std::uint32_t subleaf)> query;  ///< zeros for leaves that are not there
  std::uint64_t enabled_state = 0;  ///< xgetbv(0): the register states that the operating system saves
};

struct Feature {
  const char* name = "";  ///< as in -target-feature
  bool present = false;
};

struct HostFeatures {
  int level = 1;                  ///< of x86-64-v1 … v4, all of whose features are present
  std::vector<Feature> features;  ///< every row of the table, in its order
  std::string tune = "generic";   ///< as in -tune-cpu
};

/// This machine. Only the features that compiled code can use are looked at. Pure.
HostFeatures detect(const CpuidSource& source);

/// From "+sse3 -avx …", every row of the table by its name and in its order, as Target::text has them; nothing for other
/// texts. `level` and `tune` are the caller's.
std::optional<std::vector<Feature>> parse_features(std::string_view text);

/// cpuid and xgetbv of the processor that runs this; nothing is there on other architectures.
CpuidSource host_cpuid();

}  // namespace kiln::backend::cpu

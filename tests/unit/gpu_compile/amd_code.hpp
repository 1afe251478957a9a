// What AMD's machine code of kernels may not have: divisions of the grid's size, accesses that do not know their address space,
// spilled registers, and exchanges of lanes through the memory of a block where vector instructions read them directly.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "binary/code_object.hpp"
#include "compiler/inspector.hpp"

namespace kiln::test {

struct AmdCode {
  std::int64_t divisions = 0;  ///< of integers, by a reciprocal
  std::int64_t flat = 0;       ///< loads, stores and atomics of any address space
  std::int64_t exchanges = 0;  ///< of words between lanes, at addresses
  std::int64_t swizzles = 0;   ///< the same in a fixed pattern
  std::int64_t spills = 0;
  std::int64_t scratch = 0;  ///< bytes
  std::int64_t wave = 0;     ///< lanes
};

/// Of one kernel. KILN_TEST_LISTINGS names a folder for its instructions.
inline AmdCode amd_code(const backend::StoredCode& code, const std::string& variant) {
  const std::string listing = backend::gpu::code_object_assembly(code);
  if (const char* const folder = std::getenv("KILN_TEST_LISTINGS")) {
    std::ofstream(std::string(folder) + "/" + std::string(code.target) + " " + variant) << listing;
  }
  AmdCode found;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    const auto is = [&](std::string_view name) { return line.starts_with("  ") && line.substr(2).starts_with(name); };
    found.divisions += is("v_rcp_iflag_f32");
    found.flat += is("flat_");
    found.exchanges += is("ds_bpermute");
    found.swizzles += is("ds_swizzle");
  }
  const inspect::Resources resources = backend::gpu::code_object_resources(code);
  found.spills = resources.spills.value_or(0);
  found.scratch = resources.local_bytes.value_or(0);
  found.wave = resources.wave_size.value_or(0);
  return found;
}

/// Kernels that have some of it all the same, by what their variants' names contain.
struct KnownAmdCode {
  /// They divide by something else than the grid's size.
  std::vector<std::string_view> divide = {};
  /// More numbers are the same for all lanes than there are registers for: strides of many dimensions, masks of conditions.
  std::vector<std::string_view> spill = {};
  /// Lanes read others that no instruction reaches directly.
  std::vector<std::string_view> exchange = {};
};

inline void check_amd_code(const backend::StoredCode& code, const std::string& variant, const KnownAmdCode& known) {
  const auto is_known = [&](const std::vector<std::string_view>& names) {
    return std::any_of(names.begin(), names.end(), [&](auto name) { return variant.find(name) != std::string::npos; });
  };
  INFO(code.target, ", ", variant);
  const AmdCode found = amd_code(code, variant);
  if (!is_known(known.divide)) CHECK(found.divisions == 0);
  if (!is_known(known.spill)) CHECK(found.spills == 0);
  CHECK(found.flat == 0);
  CHECK(found.scratch == 0);
  // The halves of 64 lanes take an exchange where those of 32 take a swizzle.
  if (!is_known(known.exchange)) CHECK(found.exchanges <= (found.wave == 64 ? found.swizzles : 0));
}

}  // namespace kiln::test

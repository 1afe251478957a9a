// The kernels of a manifest as a list of work: a unit, its target and its compiler.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "compiler/compiler.hpp"
#include "kiln/manifest.hpp"
#include "manifest/entry.hpp"
#include "program/job.hpp"

namespace kiln::manifest {

/// Whether processors of that kind run the unit.
[[nodiscard]] inline bool concerns(const Unit& unit, DeviceKind kind) noexcept {
  return unit.on_cpu || kind != DeviceKind::cpu;
}

/// One kernel of a unit.
struct Work {
  const Unit* unit;
  std::size_t which = 0;  ///< among its requests
};

/// The kernels of a manifest for a compiler, each once, but that each unit has its first: first of all units what their calls
/// load, then, with `other_sizes`, what calls of other sizes may. A unit whose call would be an error there has its first
/// alone.
[[nodiscard]] std::vector<Work> work_of(const std::vector<Entry>& entries, const backend::Compiler& compiler, bool other_sizes);

/// All but the variant and the key.
[[nodiscard]] inline ManifestKernel describe(const Unit& unit, std::string target) {
  return {.kernel = unit.kernel,
          .signature = unit.signature,
          .variant = {},
          .target = std::move(target),
          .key = {},
          .where = unit.where};
}

}  // namespace kiln::manifest

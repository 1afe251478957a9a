// The kernels of a manifest as a list of work: a unit, its target and its compiler.
#pragma once

#include <memory>
#include <string>

#include "backend/compiler.hpp"
#include "kiln/manifest.hpp"
#include "manifest/entry.hpp"
#include "program/job.hpp"

namespace kiln::manifest {

/// Whether processors of that kind run the unit.
[[nodiscard]] inline bool concerns(const Unit& unit, DeviceKind kind) noexcept {
  return unit.on_cpu || kind != DeviceKind::cpu;
}

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

// Compiled kernels by what they are specialized for and their device.
#pragma once

#include <cstdint>

#include "base/table.hpp"
#include "kiln/device.hpp"

namespace kiln::call {

/// Mixed in by the keys that have a device. Emulated ones need not differ.
[[nodiscard]] inline std::uint64_t hash_of(const Device& device) noexcept {
  return static_cast<std::uint64_t>(device.kind()) << 32 | static_cast<std::uint32_t>(device.index());
}

/// A spec, or what of one a call of a definition decides. A Spec has a defaulted == and hash().
template <class Spec>
struct VariantKey {
  Spec spec;
  Device device;

  friend bool operator==(const VariantKey&, const VariantKey&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept { return base::KeyHash().add(spec.hash()).add(hash_of(device)).value(); }
};

template <class Spec, class Variant>
using VariantTable = base::Table<VariantKey<Spec>, Variant>;

}  // namespace kiln::call

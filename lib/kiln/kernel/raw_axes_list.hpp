// The axes of a kernel's raw operands, packed as a key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernel/operand_spec.hpp"

namespace kiln::kinds {

/// Those of each raw operand, by its number among them.
struct RawAxesList {
  static constexpr std::size_t kBits = 6;
  static constexpr std::size_t kOfWord = 64 / kBits;
  static constexpr std::size_t kMost = 2 * kOfWord;
  static constexpr std::size_t kMaxRank = (1U << (kBits - 2)) - 1;

  std::array<std::uint64_t, 2> words = {};

  [[nodiscard]] RawAxesSpec get(std::size_t number) const noexcept {
    const std::uint64_t bits = words[number / kOfWord] >> (kBits * (number % kOfWord));
    return {static_cast<std::uint8_t>(bits >> 2 & kMaxRank), (bits & 1U) != 0, (bits & 2U) != 0};
  }
  void set(std::size_t number, const RawAxesSpec& axes) noexcept {
    const std::uint64_t bits = std::uint64_t{axes.rank} << 2 | (axes.wide ? 2U : 0U) | (axes.packed ? 1U : 0U);
    const std::size_t at = kBits * (number % kOfWord);
    std::uint64_t& word = words[number / kOfWord];
    word = (word & ~(((std::uint64_t{1} << kBits) - 1) << at)) | bits << at;
  }
  friend bool operator==(const RawAxesList&, const RawAxesList&) = default;
};

}  // namespace kiln::kinds

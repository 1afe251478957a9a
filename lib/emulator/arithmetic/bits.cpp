#include "emulator/arithmetic/bits.hpp"

#include <array>

namespace kiln::emulator {

std::uint32_t fns(std::uint32_t mask, std::uint32_t base, std::int32_t offset) noexcept {
  if (base > 31) return kNoBit;
  if (offset == 0) return (mask >> base & 1U) != 0 ? base : kNoBit;
  const int step = offset > 0 ? 1 : -1;
  std::int64_t left = offset > 0 ? offset : -static_cast<std::int64_t>(offset);
  for (int position = static_cast<int>(base); position >= 0 && position < 32; position += step) {
    if ((mask >> position & 1U) != 0 && --left == 0) return static_cast<std::uint32_t>(position);
  }
  return kNoBit;
}

namespace {
// A selector as the index mode has it, for each mode and each of the lowest two bits of prmt's c.
constexpr std::array<std::array<std::uint32_t, 4>, 6> kSelectors{{
    {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
    {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
    {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
    {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
    {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
    {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
}};
}  // namespace

std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t selector, Permutation mode) noexcept {
  if (mode != Permutation::index) selector = kSelectors[static_cast<std::size_t>(mode) - 1][selector & 3U];
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t choice = selector >> (4 * i);
    auto byte = static_cast<std::uint32_t>(bytes >> (8 * (choice & 7U))) & 0xffU;
    if ((choice & 8U) != 0) byte = (byte & 0x80U) != 0 ? 0xffU : 0U;  // its sign in all bits
    result |= byte << (8 * i);
  }
  return result;
}

}  // namespace kiln::emulator

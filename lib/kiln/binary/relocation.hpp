// Applies one relocation of a relocatable object (x86-64, AArch64) to its bytes. Pure; the bytes may be anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "shared/placed_relocations.hpp"

namespace kiln::base {

/// How many bytes it changes; 0 where it is not one of `is_placed`.
[[nodiscard]] std::size_t relocated_bytes(Machine machine, std::uint32_t type) noexcept;
/// Whether its target is the slot that holds the symbol's address, and not the symbol.
[[nodiscard]] bool goes_through_slot(Machine machine, std::uint32_t type) noexcept;
/// Whether it stores the whole address: it reaches everywhere, others need a stub for what may lie far away.
[[nodiscard]] bool stores_address(Machine machine, std::uint32_t type) noexcept;

/// `bytes` are relocated_bytes() and lie at the address `place`; `target` is the address with the addend. False, and nothing is
/// changed, where the target is out of reach.
[[nodiscard]] bool relocate(Machine machine, std::uint32_t type, std::span<std::byte> bytes, std::uint64_t place,
                            std::uint64_t target) noexcept;

/// A stub jumps to the address in its slot, wherever that is.
inline constexpr std::size_t kStubBytes = 8;
/// `slot` is less than 1 MiB behind the stub, and a multiple of 8.
void write_stub(Machine machine, std::span<std::byte, kStubBytes> bytes, std::uint32_t slot) noexcept;

}  // namespace kiln::base

#include "binary/relocation.hpp"

#include <cstring>

namespace kiln::base {
namespace {

template <class Integer>
Integer load(std::span<const std::byte> bytes) noexcept {
  Integer value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}
template <class Integer>
void store(std::span<std::byte> bytes, Integer value) noexcept {
  std::memcpy(bytes.data(), &value, sizeof(value));
}

/// Whether a signed distance can be said in so many bits.
bool fits(std::int64_t distance, int bits) noexcept {
  const std::int64_t limit = std::int64_t{1} << (bits - 1);
  return distance >= -limit && distance < limit;
}

bool store_distance32(std::span<std::byte> bytes, std::int64_t distance) noexcept {
  if (!fits(distance, 32)) return false;
  store(bytes, static_cast<std::int32_t>(distance));
  return true;
}

bool relocate_x86(RelocationX86 type, std::span<std::byte> bytes, std::uint64_t place, std::uint64_t target) noexcept {
  using enum RelocationX86;
  switch (type) {
    case abs64:
      store(bytes, target);
      return true;
    case pc64:
      store(bytes, target - place);
      return true;
    case pc32:
    case plt32:
    case gotpcrel:
    case gotpcrelx:
    case rex_gotpcrelx:
      return store_distance32(bytes, static_cast<std::int64_t>(target - place));
  }
  return false;
}

/// Puts the low `bits` of a value into an instruction, from the bit `at`.
void set_field(std::span<std::byte> bytes, std::uint64_t value, int bits, int at) noexcept {
  const std::uint32_t mask = ((std::uint32_t{1} << bits) - 1) << at;
  store(bytes, (load<std::uint32_t>(bytes) & ~mask) | (static_cast<std::uint32_t>(value << at) & mask));
}

/// The distance in words of a branch, or of a load.
bool set_words(std::span<std::byte> bytes, std::int64_t distance, int bits, int at) noexcept {
  if ((distance & 3) != 0 || !fits(distance, bits + 2)) return false;
  set_field(bytes, static_cast<std::uint64_t>(distance >> 2), bits, at);
  return true;
}

/// ADR and ADRP: the two low bits of the distance stand apart from the others.
bool set_adr(std::span<std::byte> bytes, std::int64_t distance) noexcept {
  if (!fits(distance, 21)) return false;
  set_field(bytes, static_cast<std::uint64_t>(distance), 2, 29);
  set_field(bytes, static_cast<std::uint64_t>(distance >> 2), 19, 5);
  return true;
}

/// The place in a page, in units of what is loaded or stored there.
bool set_place_in_page(std::span<std::byte> bytes, std::uint64_t target, int log2_unit) noexcept {
  const std::uint64_t in_page = target & 0xfff;
  if ((in_page & ((std::uint64_t{1} << log2_unit) - 1)) != 0) return false;
  set_field(bytes, in_page >> log2_unit, 12, 10);
  return true;
}

bool relocate_arm(RelocationArm type, std::span<std::byte> bytes, std::uint64_t place, std::uint64_t target) noexcept {
  using enum RelocationArm;
  const auto distance = static_cast<std::int64_t>(target - place);
  switch (type) {
    case abs64:
      store(bytes, target);
      return true;
    case prel64:
      store(bytes, target - place);
      return true;
    case prel32:
    case plt32:
      return store_distance32(bytes, distance);
    case ld_prel_lo19:
    case condbr19:
      return set_words(bytes, distance, 19, 5);
    case tstbr14:
      return set_words(bytes, distance, 14, 5);
    case jump26:
    case call26:
      return set_words(bytes, distance, 26, 0);
    case adr_prel_lo21:
      return set_adr(bytes, distance);
    case adr_prel_pg_hi21:
    case adr_got_page:
      return set_adr(bytes, static_cast<std::int64_t>(target >> 12) - static_cast<std::int64_t>(place >> 12));
    case add_abs_lo12:
    case ldst8_abs_lo12:
      return set_place_in_page(bytes, target, 0);
    case ldst16_abs_lo12:
      return set_place_in_page(bytes, target, 1);
    case ldst32_abs_lo12:
      return set_place_in_page(bytes, target, 2);
    case ldst64_abs_lo12:
    case ld64_got_lo12:
      return set_place_in_page(bytes, target, 3);
    case ldst128_abs_lo12:
      return set_place_in_page(bytes, target, 4);
  }
  return false;
}

bool is_64_bits(Machine machine, std::uint32_t type) noexcept {
  if (machine == Machine::x86_64) {
    return type == static_cast<std::uint32_t>(RelocationX86::abs64) || type == static_cast<std::uint32_t>(RelocationX86::pc64);
  }
  return type == static_cast<std::uint32_t>(RelocationArm::abs64) || type == static_cast<std::uint32_t>(RelocationArm::prel64);
}

}  // namespace

std::size_t relocated_bytes(Machine machine, std::uint32_t type) noexcept {
  if (!is_placed(machine, type)) return 0;
  return is_64_bits(machine, type) ? 8 : 4;
}

bool goes_through_slot(Machine machine, std::uint32_t type) noexcept {
  if (machine == Machine::x86_64) {
    const auto own = static_cast<RelocationX86>(type);
    return own == RelocationX86::gotpcrel || own == RelocationX86::gotpcrelx || own == RelocationX86::rex_gotpcrelx;
  }
  const auto own = static_cast<RelocationArm>(type);
  return own == RelocationArm::adr_got_page || own == RelocationArm::ld64_got_lo12;
}

bool stores_address(Machine machine, std::uint32_t type) noexcept {
  return type == (machine == Machine::x86_64 ? static_cast<std::uint32_t>(RelocationX86::abs64)
                                             : static_cast<std::uint32_t>(RelocationArm::abs64));
}

bool relocate(Machine machine, std::uint32_t type, std::span<std::byte> bytes, std::uint64_t place,
              std::uint64_t target) noexcept {
  return machine == Machine::x86_64 ? relocate_x86(static_cast<RelocationX86>(type), bytes, place, target)
                                    : relocate_arm(static_cast<RelocationArm>(type), bytes, place, target);
}

void write_stub(Machine machine, std::span<std::byte, kStubBytes> bytes, std::uint32_t slot) noexcept {
  if (machine == Machine::x86_64) {
    store<std::uint16_t>(bytes, 0x25ff);  // jmp [rip + …], counted from its end
    store<std::uint32_t>(bytes.subspan(2), slot - 6);
    store<std::uint16_t>(bytes.subspan(6), 0xcccc);
  } else {
    store<std::uint32_t>(bytes, 0x58000010 | (slot >> 2) << 5);  // ldr x16, …
    store<std::uint32_t>(bytes.subspan(4), 0xd61f0200);          // br x16
  }
}

}  // namespace kiln::base

// The sections, symbols and relocations that kiln's own loader takes. An object with others is linked by lld and loaded by the
// system. Has names of its own, since <elf.h> and LLVM's header exclude each other.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kiln::base {

/// ELF's e_machine.
enum class Machine : std::uint16_t { x86_64 = 62, aarch64 = 183 };

inline constexpr std::uint64_t kMaxPlacedAlignment = 4096;
inline constexpr std::size_t kMaxPlacedImports = 10'000;  // a stub reaches its slot

/// What the header of a section says.
struct SectionHeader {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t size = 0;
  std::uint64_t alignment = 0;
};

/// Whether the section is in memory. Nothing may refer to one that is not: an empty section has no place either.
[[nodiscard]] constexpr bool is_placed(const SectionHeader& section) noexcept {
  constexpr std::uint64_t kAlloc = 0x2;
  return (section.flags & kAlloc) != 0 && section.size > 0;
}

/// Why a section of `is_placed` cannot be placed; null where it can.
[[nodiscard]] constexpr const char* refusal(const SectionHeader& section) noexcept {
  constexpr std::uint64_t kWrite = 0x1;
  constexpr std::uint64_t kThreadLocal = 0x400;
  constexpr std::uint32_t kProgramBits = 1;
  constexpr std::uint32_t kUnwind = 0x70000001;  // of x86-64
  if ((section.flags & kThreadLocal) != 0) return "it has variables of a thread";
  if ((section.flags & kWrite) != 0 && !section.name.starts_with(".data.rel.ro")) return "it has data that is written";
  if (section.type != kProgramBits && section.type != kUnwind) return "it has a section of a kind that is not placed";
  if (section.alignment > kMaxPlacedAlignment || (section.alignment != 0 && !std::has_single_bit(section.alignment))) {
    return "a section has an alignment that is none, or too large";
  }
  return nullptr;
}

/// R_X86_64_…
enum class RelocationX86 : std::uint32_t {
  abs64 = 1,
  pc32 = 2,
  plt32 = 4,
  gotpcrel = 9,
  pc64 = 24,
  gotpcrelx = 41,
  rex_gotpcrelx = 42,
};

/// R_AARCH64_…
enum class RelocationArm : std::uint32_t {
  abs64 = 257,
  prel64 = 260,
  prel32 = 261,
  ld_prel_lo19 = 273,
  adr_prel_lo21 = 274,
  adr_prel_pg_hi21 = 275,
  add_abs_lo12 = 277,
  ldst8_abs_lo12 = 278,
  tstbr14 = 279,
  condbr19 = 280,
  jump26 = 282,
  call26 = 283,
  ldst16_abs_lo12 = 284,
  ldst32_abs_lo12 = 285,
  ldst64_abs_lo12 = 286,
  ldst128_abs_lo12 = 299,
  adr_got_page = 311,
  ld64_got_lo12 = 312,
  plt32 = 314,
};

[[nodiscard]] constexpr bool is_placed(RelocationX86 type) noexcept {
  using enum RelocationX86;
  switch (type) {
    case abs64:
    case pc32:
    case plt32:
    case gotpcrel:
    case pc64:
    case gotpcrelx:
    case rex_gotpcrelx:
      return true;
  }
  return false;
}

[[nodiscard]] constexpr bool is_placed(RelocationArm type) noexcept {
  using enum RelocationArm;
  switch (type) {
    case abs64:
    case prel64:
    case prel32:
    case ld_prel_lo19:
    case adr_prel_lo21:
    case adr_prel_pg_hi21:
    case add_abs_lo12:
    case ldst8_abs_lo12:
    case tstbr14:
    case condbr19:
    case jump26:
    case call26:
    case ldst16_abs_lo12:
    case ldst32_abs_lo12:
    case ldst64_abs_lo12:
    case ldst128_abs_lo12:
    case adr_got_page:
    case ld64_got_lo12:
    case plt32:
      return true;
  }
  return false;
}

[[nodiscard]] constexpr bool is_placed(Machine machine, std::uint32_t type) noexcept {
  switch (machine) {
    case Machine::x86_64:
      return is_placed(static_cast<RelocationX86>(type));
    case Machine::aarch64:
      return is_placed(static_cast<RelocationArm>(type));
  }
  return false;
}

}  // namespace kiln::base

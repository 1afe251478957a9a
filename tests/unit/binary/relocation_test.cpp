#include "binary/relocation.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstring>

using kiln::base::Machine;
using kiln::base::relocate;
using kiln::base::RelocationArm;
using kiln::base::RelocationX86;

namespace {

std::uint32_t type_of(auto type) {
  return static_cast<std::uint32_t>(type);
}

/// The instruction after the relocation; 0 where it is out of reach. The words are what GNU's as and ld make of the same.
std::uint32_t arm(RelocationArm type, std::uint32_t instruction, std::uint64_t place, std::uint64_t target) {
  auto bytes = std::bit_cast<std::array<std::byte, 4>>(instruction);
  if (!relocate(Machine::aarch64, type_of(type), bytes, place, target)) return 0;
  return std::bit_cast<std::uint32_t>(bytes);
}

/// The four bytes as a distance; 0 where it is out of reach.
std::int32_t x86(RelocationX86 type, std::uint64_t place, std::uint64_t target) {
  std::array<std::byte, 4> bytes{};
  if (!relocate(Machine::x86_64, type_of(type), bytes, place, target)) return 0;
  return std::bit_cast<std::int32_t>(bytes);
}

}  // namespace

TEST_CASE("relocations of x86-64") {
  using enum RelocationX86;
  for (const auto type : {pc32, plt32, gotpcrel, gotpcrelx, rex_gotpcrelx}) {
    CHECK(x86(type, 0x1000, 0x1ffc) == 0xffc);
    CHECK(x86(type, 0x1000, 0xff8) == -8);
    CHECK(x86(type, 0, 0x7fffffff) == 0x7fffffff);
    CHECK(x86(type, 0, 0x80000000) == 0);
    CHECK(x86(type, 0x80000001, 0) == 0);
  }
  std::array<std::byte, 8> bytes{};
  CHECK(relocate(Machine::x86_64, type_of(abs64), bytes, 0x10, 0x123456789abcdef0));
  CHECK(std::bit_cast<std::uint64_t>(bytes) == 0x123456789abcdef0);
  CHECK(relocate(Machine::x86_64, type_of(pc64), bytes, 0x10, 0x8));
  CHECK(std::bit_cast<std::int64_t>(bytes) == -8);
  CHECK_FALSE(relocate(Machine::x86_64, 10, bytes, 0, 0));  // R_X86_64_32
  CHECK(kiln::base::relocated_bytes(Machine::x86_64, 10) == 0);
  CHECK(kiln::base::relocated_bytes(Machine::x86_64, type_of(abs64)) == 8);
  CHECK(kiln::base::relocated_bytes(Machine::x86_64, type_of(plt32)) == 4);
}

TEST_CASE("relocations of AArch64: branches") {
  using enum RelocationArm;
  CHECK(arm(call26, 0x94000000, 0x1000, 0x1010) == 0x94000004);    // bl .+16
  CHECK(arm(jump26, 0x14000000, 0x1000, 0xffc) == 0x17ffffff);     // b .-4
  CHECK(arm(call26, 0x94000000, 0, 0x7fffffc) == 0x95ffffff);      // the farthest
  CHECK(arm(call26, 0x94000000, 0, 0x8000000) == 0);               // too far
  CHECK(arm(call26, 0x94000000, 0, 0x2) == 0);                     // between instructions
  CHECK(arm(condbr19, 0x54000001, 0x2000, 0x1ff0) == 0x54ffff81);  // b.ne .-16
  CHECK(arm(condbr19, 0x54000001, 0, 0x100000) == 0);
  CHECK(arm(tstbr14, 0x36180000, 0x1000, 0x1020) == 0x36180100);  // tbz w0, #3, .+32
  CHECK(arm(tstbr14, 0x36180000, 0, 0x8000) == 0);
}

TEST_CASE("relocations of AArch64: addresses") {
  using enum RelocationArm;
  CHECK(arm(adr_prel_pg_hi21, 0x90000000, 0x1ff8, 0x5123) == 0x90000020);  // adrp x0, four pages on
  CHECK(arm(adr_prel_pg_hi21, 0x90000003, 0x1000, 0x2fff) == 0xb0000003);  // one
  CHECK(arm(adr_prel_pg_hi21, 0x90000000, 0x3000, 0x2000) == 0xf0ffffe0);  // one back
  CHECK(arm(adr_got_page, 0x90000001, 0x1000, 0x3008) == 0xd0000001);      // two
  CHECK(arm(adr_prel_pg_hi21, 0x90000000, 0, 0x100000000) == 0);
  CHECK(arm(adr_prel_lo21, 0x10000000, 0x1000, 0x100d) == 0x30000060);  // adr x0, .+13
  CHECK(arm(ld_prel_lo19, 0x58000001, 0x1000, 0x1008) == 0x58000041);   // ldr x1, .+8
  CHECK(arm(add_abs_lo12, 0x91000000, 0, 0x12345) == 0x910d1400);       // add x0, x0, #0x345
  CHECK(arm(ldst8_abs_lo12, 0x39400000, 0, 0x1003) == 0x39400c00);      // ldrb w0, [x0, #3]
  CHECK(arm(ldst16_abs_lo12, 0x79400000, 0, 0x1006) == 0x79400c00);     // ldrh w0, [x0, #6]
  CHECK(arm(ldst32_abs_lo12, 0xbd400000, 0, 0x1010) == 0xbd401000);     // ldr s0, [x0, #16]
  CHECK(arm(ldst64_abs_lo12, 0xfd400000, 0, 0x1010) == 0xfd400800);     // ldr d0, [x0, #16]
  CHECK(arm(ld64_got_lo12, 0xf9400000, 0, 0x1ff8) == 0xf947fc00);       // ldr x0, [x0, #4088]
  CHECK(arm(ldst128_abs_lo12, 0x3dc00000, 0, 0x1020) == 0x3dc00800);    // ldr q0, [x0, #32]
  CHECK(arm(ldst128_abs_lo12, 0x3dc00000, 0, 0x1008) == 0);             // of no multiple
  // What stands in the field before does not matter.
  CHECK(arm(add_abs_lo12, 0x913ffc00, 0, 0x12345) == 0x910d1400);
  std::array<std::byte, 8> bytes{};
  CHECK(relocate(Machine::aarch64, type_of(abs64), bytes, 0x10, 0x123456789abcdef0));
  CHECK(std::bit_cast<std::uint64_t>(bytes) == 0x123456789abcdef0);
  CHECK(arm(prel32, 0, 0x1000, 0x1234) == 0x234);
  CHECK_FALSE(relocate(Machine::aarch64, 263, bytes, 0, 0));  // R_AARCH64_MOVW_UABS_G0
}

TEST_CASE("stubs jump through their slots") {
  std::array<std::byte, 8> bytes{};
  std::array<std::uint32_t, 2> words{};
  kiln::base::write_stub(Machine::aarch64, bytes, 0x20);
  std::memcpy(words.data(), bytes.data(), sizeof(words));
  CHECK(words == std::array<std::uint32_t, 2>{0x58000110, 0xd61f0200});  // ldr x16, .+32; br x16
  kiln::base::write_stub(Machine::x86_64, bytes, 0x20);
  std::memcpy(words.data(), bytes.data(), sizeof(words));
  CHECK(words == std::array<std::uint32_t, 2>{0x001a25ff, 0xcccc0000});  // jmp [rip + 0x1a]
}

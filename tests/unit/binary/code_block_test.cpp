#include "binary/code_block.hpp"

#include <doctest/doctest.h>

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <utility>

#include "small_object.hpp"

using kiln::base::CodeBlock;
using kiln::test::SmallObject;

namespace {

constexpr std::uint32_t kArmPlt32 = 314;

/// A kernel that calls sin() and reads a constant, a second function, and a table with the address of the second.
struct Sample : SmallObject {
  Sample() {
    text = add({.name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR, .bytes = std::string(32, '\x90'), .alignment = 16});
    constants = add({.name = ".rodata", .bytes = "0123456789abcdef", .alignment = 64});
    table = add({.name = ".data.rel.ro", .flags = SHF_ALLOC | SHF_WRITE, .bytes = std::string(8, '\0'), .alignment = 8});
    add({.name = ".comment", .flags = 0, .bytes = "nothing of it is placed"});
    constant = add_symbol("", static_cast<std::uint16_t>(constants), 0, STT_SECTION, STB_LOCAL);
    other = add_symbol("other", static_cast<std::uint16_t>(text), 16, STT_FUNC, STB_LOCAL);
    kernel = add_symbol("kiln_kernel", static_cast<std::uint16_t>(text), 0);
    sine = add_symbol("sin", SHN_UNDEF, 0, STT_NOTYPE);
  }
  void relocate_all() {
    relocate(text, {{2, R_X86_64_PC32, constant, 4}, {8, R_X86_64_PLT32, sine, -4}, {12, R_X86_64_REX_GOTPCRELX, other, -4}});
    relocate(table, {{0, R_X86_64_64, other, 0}});
  }
  std::uint32_t text, constants, table, constant, other, kernel, sine;
};

std::string refusal_of(const std::string& object) {
  std::string why;
  return CodeBlock::read(object, &why) ? "" : why;
}

std::string refusal_with(const std::function<void(Sample&)>& change) {
  Sample sample;
  change(sample);
  return refusal_of(sample.bytes());
}

template <class Integer>
Integer at(const std::vector<std::byte>& block, std::size_t offset) {
  Integer value;
  REQUIRE(offset + sizeof(value) <= block.size());
  std::memcpy(&value, block.data() + offset, sizeof(value));
  return value;
}

}  // namespace

TEST_CASE("a code block has instructions, constants, tables, jumps to imports and slots") {
  Sample sample;
  sample.relocate_all();
  const std::string object = sample.bytes();
  const auto block = CodeBlock::read(object, nullptr);
  REQUIRE(block.has_value());
  CHECK(block->code_size() == 32);
  CHECK(block->imports() == std::vector<std::string_view>{"sin"});
  const auto functions = block->functions();
  REQUIRE(functions.size() == 2);
  CHECK(functions[0].name == "other");
  CHECK(functions[0].offset == 16);
  CHECK_FALSE(functions[0].exported);
  CHECK(functions[1].name == "kiln_kernel");
  CHECK(functions[1].exported);
  CHECK(block->stored_addresses() == std::vector<std::uint64_t>{16});
  // 32 of code, 16 of constants at 64, a table of 8, a jump of 8, two slots of 8.
  REQUIRE(block->size() == 64 + 16 + 8 + 8 + 16);
  CHECK(block->stub(0) == 88);

  std::vector<std::byte> bytes(block->size(), std::byte{0xee});
  const std::uint64_t address = 0x7f0000001000;
  const std::uint64_t sine = 0x7f8812345678;
  REQUIRE(block->write(bytes, address, std::array{sine}, nullptr));
  CHECK(at<std::uint16_t>(bytes, 0) == 0x9090);
  CHECK(at<std::int32_t>(bytes, 2) == 64 + 4 - 2);     // the constant
  CHECK(at<std::int32_t>(bytes, 8) == 88 - 4 - 8);     // the jump to sin
  CHECK(at<std::int32_t>(bytes, 12) == 104 - 4 - 12);  // the slot of the other
  CHECK(std::memcmp(bytes.data() + 64, "0123456789abcdef", 16) == 0);
  CHECK(at<std::uint64_t>(bytes, 80) == address + 16);  // in the table
  CHECK(at<std::uint16_t>(bytes, 88) == 0x25ff);
  CHECK(at<std::int32_t>(bytes, 90) == 96 - 88 - 6);
  CHECK(at<std::uint64_t>(bytes, 96) == sine);
  CHECK(at<std::uint64_t>(bytes, 104) == address + 16);
  CHECK(at<std::uint32_t>(bytes, 40) == 0);  // between sections
}

TEST_CASE("between functions of x86-64 stand traps, of AArch64 zeros, which are traps there") {
  for (const auto& [machine, between] : {std::pair{EM_X86_64, 0xcc}, std::pair{EM_AARCH64, 0}}) {
    Sample sample;
    sample.machine = static_cast<std::uint16_t>(machine);
    sample.sections[sample.text].bytes.resize(17, '\x90');
    sample.add({.name = ".text.more", .flags = SHF_ALLOC | SHF_EXECINSTR, .bytes = "more", .alignment = 16});
    const std::string object = sample.bytes();
    const auto block = CodeBlock::read(object, nullptr);
    REQUIRE(block.has_value());
    CHECK(block->code_size() == 36);
    std::vector<std::byte> bytes(block->size(), std::byte{0xee});
    REQUIRE(block->write(bytes, 0x1000, std::array<std::uint64_t, 1>{}, nullptr));
    for (std::size_t i = 17; i < 32; ++i) CHECK(bytes[i] == static_cast<std::byte>(between));
    CHECK(std::memcmp(bytes.data() + 32, "more", 4) == 0);
    CHECK(bytes[36] == std::byte{0});
  }
}

TEST_CASE("a code block of AArch64") {
  Sample sample;
  sample.machine = EM_AARCH64;
  const auto word = [&](std::size_t offset, std::uint32_t instruction) {
    std::memcpy(sample.sections[sample.text].bytes.data() + offset, &instruction, sizeof(instruction));
  };
  word(0, 0x90000000);   // adrp x0
  word(4, 0xfd400000);   // ldr d0, [x0]
  word(8, 0x94000000);   // bl
  word(12, 0x90000001);  // adrp x1
  word(16, 0xf9400021);  // ldr x1, [x1]
  sample.relocate(sample.text, {{0, R_AARCH64_ADR_PREL_PG_HI21, sample.constant, 8},
                                {4, R_AARCH64_LDST64_ABS_LO12_NC, sample.constant, 8},
                                {8, R_AARCH64_CALL26, sample.sine, 0},
                                {12, R_AARCH64_ADR_GOT_PAGE, sample.sine, 0},
                                {16, R_AARCH64_LD64_GOT_LO12_NC, sample.sine, 0}});
  sample.relocate(sample.table, {{0, R_AARCH64_ABS64, sample.sine, 0}, {4, kArmPlt32, sample.sine, 0}});
  const std::string object = sample.bytes();
  const auto block = CodeBlock::read(object, nullptr);
  REQUIRE(block.has_value());
  std::vector<std::byte> bytes(block->size());
  const std::uint64_t sine = 0x7f8812345678;
  REQUIRE(block->write(bytes, 0x7f0000001000, std::array{sine}, nullptr));
  CHECK(at<std::uint32_t>(bytes, 0) == 0x90000000);
  CHECK(at<std::uint32_t>(bytes, 4) == 0xfd402400);  // [x0, #72]
  CHECK(at<std::uint32_t>(bytes, 8) == 0x94000014);  // to 88
  CHECK(at<std::uint32_t>(bytes, 12) == 0x90000001);
  CHECK(at<std::uint32_t>(bytes, 16) == 0xf9403021);  // [x1, #96]
  CHECK(at<std::int32_t>(bytes, 84) == 88 - 84);
  CHECK(at<std::uint32_t>(bytes, 88) == 0x58000050);  // ldr x16, .+8
  CHECK(at<std::uint32_t>(bytes, 92) == 0xd61f0200);  // br x16
  CHECK(at<std::uint64_t>(bytes, 96) == sine);
}

TEST_CASE("what kiln's loader does not take says why") {
  CHECK(refusal_with([](Sample&) {}).empty());
  CHECK(refusal_of("MZ") == "it is no ELF file");
  CHECK(refusal_with([](Sample& s) { s.type = ET_DYN; }) == "it is not a relocatable object");
  CHECK(refusal_with([](Sample& s) { s.machine = EM_RISCV; }) == "it is for another kind of processor");
  CHECK(refusal_with([](Sample& s) { s.sections[s.text].flags = SHF_ALLOC; }) == "it has no instructions");
  CHECK(refusal_with([](Sample& s) { s.sections[s.table].name = ".data"; }) == "it has data that is written");
  CHECK(refusal_with([](Sample& s) { s.sections[s.table].flags |= SHF_TLS; }) == "it has variables of a thread");
  CHECK(refusal_with([](Sample& s) { s.add_symbol("local", 2, 0, STT_TLS); }) == "it has variables of a thread");
  CHECK(refusal_with([](Sample& s) { s.add_symbol("chosen", 1, 0, STT_GNU_IFUNC); }) ==
        "it has functions that are chosen at loading");
  CHECK(refusal_with([](Sample& s) { s.sections[s.constants].type = SHT_INIT_ARRAY; }) ==
        "it has a section of a kind that is not placed");
  for (const std::uint64_t alignment : {3ULL, 8192ULL, 1ULL << 63}) {
    CHECK(refusal_with([&](Sample& s) { s.sections[s.constants].alignment = alignment; }) ==
          "a section has an alignment that is none, or too large");
  }
  CHECK(refusal_with([](Sample& s) { s.add_symbol("far", 1, 33); }) == "a symbol lies outside its section");
  CHECK(refusal_with([](Sample& s) { s.add_symbol("nowhere", 77, 0); }) == "a symbol is of no section");
  CHECK(refusal_with([](Sample& s) { s.add_symbol("common", SHN_COMMON, 8); }) == "a symbol is of no section");
  CHECK(refusal_with([](Sample& s) { s.add_symbol("", SHN_UNDEF, 0); }) == "a symbol has no name");
  CHECK(refusal_with([](Sample& s) {
          for (int i = 0; i < 10'001; ++i) s.add_symbol("f" + std::to_string(i), SHN_UNDEF, 0);
        }) == "it needs too many functions");
  CHECK(refusal_with([](Sample& s) { s.relocate(s.text, {{0, R_X86_64_32, s.other, 0}}); }) ==
        "it has relocations of a kind that is not applied");
  CHECK(refusal_with([](Sample& s) { s.relocate(s.text, {{0, R_X86_64_PC32, s.other, 0}}, SHT_REL); }) ==
        "it has relocations of a kind that is not applied");
  for (const std::uint64_t offset : {29ULL, 32ULL, ~0ULL}) {
    CHECK(refusal_with([&](Sample& s) { s.relocate(s.text, {{offset, R_X86_64_PC32, s.other, 0}}); }) ==
          "a relocation lies outside its section");
  }
  CHECK(refusal_with([](Sample& s) { s.relocate(s.text, {{25, R_X86_64_64, s.other, 0}}); }) ==
        "a relocation lies outside its section");
  CHECK(refusal_with([](Sample& s) { s.relocate(s.text, {{0, R_X86_64_PC32, 99, 0}}); }) == "a relocation is of no symbol");
  CHECK(refusal_with([](Sample& s) { s.relocate(s.text, {{0, R_X86_64_PC32, 0, 0}}); }) == "a relocation is of no symbol");
  CHECK(refusal_with([](Sample& s) { s.relocate(99, {}); }) == "its relocations are of no section");
  CHECK(refusal_with([](Sample& s) {
          const auto comment = s.add_symbol("comment", 4, 0);
          s.relocate(s.text, {{0, R_X86_64_PC32, comment, 0}});
        }) == "a relocation leads to what is not placed");
}

TEST_CASE("a block and its relocations are no larger than the file allows") {
  // A table of sections behind a small object, each of which is the whole file: a block of 4 GB, or as many relocations.
  const auto with_overlapping = [](std::uint32_t kind, std::uint64_t flags) {
    Sample sample;
    sample.relocate_all();
    constexpr std::uint64_t kCount = 8000;
    std::string object = sample.bytes();
    Elf64_Ehdr header;
    std::memcpy(&header, object.data(), sizeof(header));
    std::string table = object.substr(header.e_shoff, std::size_t{header.e_shnum} * sizeof(Elf64_Shdr));
    const std::uint64_t bytes = object.size() + table.size() + kCount * sizeof(Elf64_Shdr);
    const Elf64_Shdr whole{.sh_name = 0,
                           .sh_type = kind,
                           .sh_flags = flags,
                           .sh_addr = 0,
                           .sh_offset = 0,
                           .sh_size = bytes,
                           .sh_link = 0,
                           .sh_info = sample.text,
                           .sh_addralign = 1,
                           .sh_entsize = 0};
    for (std::uint64_t i = 0; i < kCount; ++i) table.append(reinterpret_cast<const char*>(&whole), sizeof(whole));
    header.e_shoff = object.size();
    header.e_shnum = static_cast<std::uint16_t>(header.e_shnum + kCount);
    std::memcpy(object.data(), &header, sizeof(header));
    return object + table;
  };
  CHECK(refusal_of(with_overlapping(SHT_PROGBITS, SHF_ALLOC)) ==
        "its sections overlap: together they are larger than the file");
  CHECK(refusal_of(with_overlapping(SHT_RELA, 0)) ==
        "its tables of relocations overlap: together they are larger than the file");
  CHECK(refusal_of(with_overlapping(SHT_PROGBITS, 0)).empty());
}

TEST_CASE("a target out of reach is found where the block is written") {
  Sample sample;
  sample.relocate(sample.text, {{0, R_X86_64_PC32, sample.other, std::int64_t{1} << 40}});
  const std::string object = sample.bytes();
  const auto block = CodeBlock::read(object, nullptr);
  REQUIRE(block.has_value());
  std::vector<std::byte> bytes(block->size());
  std::string why;
  CHECK_FALSE(block->write(bytes, 0x1000, std::array<std::uint64_t, 1>{}, &why));
  CHECK(why == "a relocation leads too far");
}

TEST_CASE("damaged objects are read and written without harm") {
  Sample sample;
  sample.relocate_all();
  const std::string whole = sample.bytes();
  std::mt19937 random(1);
  int taken = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    std::string object = whole;
    for (int i = 0, n = 1 + static_cast<int>(random() % 3); i < n; ++i) {
      object[random() % object.size()] = static_cast<char>(random() % 4 == 0 ? 0xff : random());
    }
    if (random() % 10 == 0) object.resize(random() % object.size());
    const auto block = CodeBlock::read(object, nullptr);
    if (!block) continue;
    REQUIRE(block->size() < 4 * whole.size() + 100 * CodeBlock::kAlignment);
    std::vector<std::byte> bytes(block->size());
    const std::vector<std::uint64_t> imports(block->imports().size(), 0x1000);
    taken += block->write(bytes, 0x7f0000001000, imports, nullptr) ? 1 : 0;
    static_cast<void>(block->functions());
    static_cast<void>(block->stored_addresses());
  }
  CHECK(taken > 1000);  // the changes reach behind the first check
}

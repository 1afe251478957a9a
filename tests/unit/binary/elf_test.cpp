#include "binary/elf.hpp"

#include <doctest/doctest.h>

#include <elf.h>

#include <algorithm>

#include "../base/temporary_directory.hpp"

using kiln::base::ElfFile;
using kiln::base::read_little_endian;

TEST_CASE("a program's own file has its sections and symbols") {
  const std::string bytes = kiln::test::read_text("/proc/self/exe");
  std::string why;
  const auto file = ElfFile::read(bytes, &why);
  REQUIRE(file.has_value());
#if defined(__x86_64__)
  CHECK(file->machine() == EM_X86_64);
#endif
  const ElfFile::Section* const text = file->section(".text");
  REQUIRE(text != nullptr);
  CHECK(text->bytes.size() == text->size);
  CHECK(text->bytes.data() > bytes.data());
  CHECK((text->flags & SHF_EXECINSTR) != 0);
  const ElfFile::Section* const zeros = file->section(".bss");
  REQUIRE(zeros != nullptr);
  CHECK(zeros->size > 0);
  CHECK(zeros->bytes.empty());
  CHECK(file->section(".nothing") == nullptr);
  CHECK(file->symbols(nullptr).empty());
  const auto symbols = file->symbols(file->section(".dynsym"));
  const auto named = [&](std::string_view name) {
    return std::any_of(symbols.begin(), symbols.end(), [&](const auto& each) { return each.name == name; });
  };
  CHECK(named("posix_spawn"));
  const auto notes = file->notes();
  CHECK(std::any_of(notes.begin(), notes.end(),
                    [](const auto& note) { return note.owner == "GNU" && note.type == NT_GNU_BUILD_ID; }));
}

TEST_CASE("what is no ELF file says why") {
  std::string why;
  CHECK_FALSE(ElfFile::read("", &why).has_value());
  CHECK(why == "it is no ELF file");
  CHECK_FALSE(ElfFile::read("\x7f"
                            "ELF",
                            &why)
                  .has_value());
  CHECK(why == "its ELF header is truncated");
  std::string bytes = kiln::test::read_text("/proc/self/exe");
  bytes[EI_CLASS] = ELFCLASS32;
  CHECK_FALSE(ElfFile::read(bytes, &why).has_value());
  CHECK(why == "it is not a 64-bit little-endian ELF file");
  bytes[EI_CLASS] = ELFCLASS64;
  CHECK_FALSE(ElfFile::read(std::string_view(bytes).substr(0, bytes.size() - 1), &why).has_value());
  CHECK(why == "its section table lies outside the file");
  CHECK_FALSE(ElfFile::read("", nullptr).has_value());
}

TEST_CASE("integers at an offset") {
  using namespace std::string_view_literals;
  CHECK(read_little_endian<std::uint32_t>("\x01\x02\x03\x04\xff"sv, 0) == 0x04030201U);
  CHECK(read_little_endian<std::uint16_t>("\x01\x02\x03\x04\xff"sv, 3) == 0xff04U);
  CHECK_FALSE(read_little_endian<std::uint32_t>("\x01\x02\x03\x04\xff"sv, 2).has_value());
  CHECK_FALSE(read_little_endian<std::uint8_t>(""sv, 0).has_value());
  CHECK_FALSE(read_little_endian<std::uint8_t>("a"sv, SIZE_MAX).has_value());
}

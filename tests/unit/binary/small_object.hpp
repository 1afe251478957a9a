// A relocatable object written by hand, each of whose numbers a test may set.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace kiln::test {

struct SmallObject {
  struct Section {
    std::string name;
    std::uint32_t type = SHT_PROGBITS;
    std::uint64_t flags = SHF_ALLOC;
    std::string bytes = {};
    std::uint64_t alignment = 1;
    std::uint32_t link = 0;
    std::uint32_t info = 0;
  };
  struct Relocation {
    std::uint64_t at = 0;
    std::uint32_t type = 0;
    std::uint32_t symbol = 0;
    std::int64_t addend = 0;
  };

  std::uint16_t machine = EM_X86_64;
  std::uint16_t type = ET_REL;
  std::vector<Section> sections{{.name = ""}};  ///< the first is none
  std::string names = std::string(1, '\0');
  std::string symbols = std::string(sizeof(Elf64_Sym), '\0');

  /// Its index.
  std::uint32_t add(Section section) {
    sections.push_back(std::move(section));
    return static_cast<std::uint32_t>(sections.size() - 1);
  }
  std::uint32_t add_symbol(const std::string& name, std::uint16_t section, std::uint64_t value, std::uint8_t kind = STT_FUNC,
                           std::uint8_t binding = STB_GLOBAL) {
    const Elf64_Sym symbol{.st_name = static_cast<std::uint32_t>(names.size()),
                           .st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, kind)),
                           .st_other = 0,
                           .st_shndx = section,
                           .st_value = value,
                           .st_size = 4};
    names += name + '\0';
    symbols.append(reinterpret_cast<const char*>(&symbol), sizeof(symbol));
    return static_cast<std::uint32_t>(symbols.size() / sizeof(symbol) - 1);
  }
  void relocate(std::uint32_t section, const std::vector<Relocation>& all, std::uint32_t kind = SHT_RELA) {
    std::string bytes;
    for (const Relocation& each : all) {
      const Elf64_Rela entry{each.at, ELF64_R_INFO(std::uint64_t{each.symbol}, each.type), each.addend};
      bytes.append(reinterpret_cast<const char*>(&entry), sizeof(entry));
    }
    add({.name = ".rela", .type = kind, .flags = 0, .bytes = bytes, .info = section});
  }

  [[nodiscard]] std::string bytes() const {
    std::vector<Section> all = sections;
    const auto count = static_cast<std::uint32_t>(all.size());
    all.push_back({.name = ".symtab", .type = SHT_SYMTAB, .flags = 0, .bytes = symbols, .link = count + 1});
    all.push_back({.name = ".strtab", .type = SHT_STRTAB, .flags = 0, .bytes = names});
    std::string section_names;
    std::string body;
    std::vector<Elf64_Shdr> headers;
    all.push_back({.name = ".shstrtab", .type = SHT_STRTAB, .flags = 0});
    for (const Section& each : all) section_names += each.name + '\0';
    all.back().bytes = section_names;
    std::size_t name = 0;
    for (const Section& each : all) {
      headers.push_back({.sh_name = static_cast<std::uint32_t>(name),
                         .sh_type = headers.empty() ? SHT_NULL : each.type,
                         .sh_flags = headers.empty() ? 0 : each.flags,
                         .sh_addr = 0,
                         .sh_offset = sizeof(Elf64_Ehdr) + body.size(),
                         .sh_size = each.bytes.size(),
                         .sh_link = each.link,
                         .sh_info = each.info,
                         .sh_addralign = each.alignment,
                         .sh_entsize = 0});
      name += each.name.size() + 1;
      body += each.bytes;
    }
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = type;
    header.e_machine = machine;
    header.e_shoff = sizeof(header) + body.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<std::uint16_t>(headers.size());
    header.e_shstrndx = static_cast<std::uint16_t>(headers.size() - 1);
    std::string file(reinterpret_cast<const char*>(&header), sizeof(header));
    file += body;
    file.append(reinterpret_cast<const char*>(headers.data()), headers.size() * sizeof(Elf64_Shdr));
    return file;
  }
};

}  // namespace kiln::test

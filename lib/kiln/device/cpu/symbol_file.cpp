#include "device/cpu/symbol_file.hpp"

#include <elf.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace kiln::backend::cpu {
namespace {

struct Section {
  enum Index : std::uint32_t { none, text, symbols, names, count };
};

/// Adds a text with its end; its offset.
std::uint32_t add_name(std::string& table, std::string_view name) {
  const auto at = static_cast<std::uint32_t>(table.size());
  table.append(name).push_back('\0');
  return at;
}

template <class T>
void append(std::string& file, const T& value) {
  file.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

std::string symbol_file(const CodeSymbols& of) {
  std::string table(1, '\0');
  std::string entries(sizeof(Elf64_Sym), '\0');
  for (const CodeSymbols::Function& each : of.functions) {
    append(entries, Elf64_Sym{.st_name = add_name(table, each.name),
                              .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                              .st_other = STV_DEFAULT,
                              .st_shndx = Section::text,
                              .st_value = each.address - of.address,
                              .st_size = each.size});
  }
  std::array<Elf64_Shdr, Section::count> sections{};
  sections[Section::text] = {.sh_name = add_name(table, ".text"),
                             .sh_type = SHT_NOBITS,
                             .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                             .sh_addr = of.address,
                             .sh_offset = 0,
                             .sh_size = of.size,
                             .sh_link = 0,
                             .sh_info = 0,
                             .sh_addralign = 1,
                             .sh_entsize = 0};
  const std::uint64_t behind_header = sizeof(Elf64_Ehdr) + sizeof(sections);
  sections[Section::symbols] = {.sh_name = add_name(table, ".symtab"),
                                .sh_type = SHT_SYMTAB,
                                .sh_flags = 0,
                                .sh_addr = 0,
                                .sh_offset = behind_header,
                                .sh_size = entries.size(),
                                .sh_link = Section::names,
                                .sh_info = 1,
                                .sh_addralign = 8,
                                .sh_entsize = sizeof(Elf64_Sym)};
  const std::uint32_t own_name = add_name(table, ".strtab");
  sections[Section::names] = {.sh_name = own_name,
                              .sh_type = SHT_STRTAB,
                              .sh_flags = 0,
                              .sh_addr = 0,
                              .sh_offset = behind_header + entries.size(),
                              .sh_size = table.size(),
                              .sh_link = 0,
                              .sh_info = 0,
                              .sh_addralign = 1,
                              .sh_entsize = 0};
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = static_cast<Elf64_Half>(of.machine);
  header.e_version = EV_CURRENT;
  header.e_shoff = sizeof(Elf64_Ehdr);
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = Section::count;
  header.e_shstrndx = Section::names;
  std::string file;
  file.reserve(behind_header + entries.size() + table.size());
  append(file, header);
  append(file, sections);
  file += entries;
  file += table;
  return file;
}

}  // namespace kiln::backend::cpu

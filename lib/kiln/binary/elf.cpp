#include "binary/elf.hpp"

#include <elf.h>

#include <cstring>

namespace kiln::base {
namespace {

/// A structure at an offset, which need not be aligned; nothing where it lies outside.
template <typename T>
std::optional<T> structure_at(std::string_view bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

bool holds(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

/// Up to its NUL; empty where the offset is outside, or where no NUL follows.
std::string_view text_at(std::string_view table, std::uint64_t at) {
  if (at >= table.size()) return {};
  const std::string_view rest = table.substr(at);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

}  // namespace

std::optional<ElfFile> ElfFile::read(std::string_view bytes, std::string* why) {
  const auto refuse = [why](const char* reason) {
    if (why != nullptr) *why = reason;
    return std::nullopt;
  };
  if (!bytes.starts_with(std::string_view(ELFMAG, SELFMAG))) return refuse("it is no ELF file");
  const auto header = structure_at<Elf64_Ehdr>(bytes, 0);
  if (!header) return refuse("its ELF header is truncated");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return refuse("it is not a 64-bit little-endian ELF file");
  }
  if (header->e_shnum != 0 && header->e_shentsize != sizeof(Elf64_Shdr)) return refuse("its section table is damaged");
  if (!holds(bytes, header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr))) {
    return refuse("its section table lies outside the file");
  }
  ElfFile file;
  file.type_ = header->e_type;
  file.machine_ = header->e_machine;
  file.flags_ = header->e_flags;
  file.sections_.reserve(header->e_shnum);
  std::vector<std::uint32_t> names;
  names.reserve(header->e_shnum);
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto entry = structure_at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!entry) return refuse("its section table lies outside the file");
    const bool in_file = entry->sh_type != SHT_NOBITS && entry->sh_type != SHT_NULL;
    if (in_file && !holds(bytes, entry->sh_offset, entry->sh_size)) return refuse("a section lies outside the file");
    Section section;
    section.type = entry->sh_type;
    section.flags = entry->sh_flags;
    section.address = entry->sh_addr;
    section.size = entry->sh_size;
    section.link = entry->sh_link;
    section.info = entry->sh_info;
    section.alignment = entry->sh_addralign;
    if (in_file) section.bytes = bytes.substr(entry->sh_offset, entry->sh_size);
    file.sections_.push_back(section);
    names.push_back(entry->sh_name);
  }
  if (header->e_shstrndx < file.sections_.size()) {
    const std::string_view table = file.sections_[header->e_shstrndx].bytes;
    for (std::size_t i = 0; i < names.size(); ++i) file.sections_[i].name = text_at(table, names[i]);
  }
  return file;
}

const ElfFile::Section* ElfFile::section(std::string_view name) const noexcept {
  for (const Section& each : sections_) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::vector<ElfFile::Symbol> ElfFile::symbols(const Section* table) const {
  std::vector<Symbol> all;
  if (table == nullptr) return all;
  const std::string_view names = table->link < sections_.size() ? sections_[table->link].bytes : std::string_view();
  const std::size_t count = table->bytes.size() / sizeof(Elf64_Sym);
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto entry = structure_at<Elf64_Sym>(table->bytes, i * sizeof(Elf64_Sym));
    all.push_back({.name = text_at(names, entry->st_name),
                   .value = entry->st_value,
                   .size = entry->st_size,
                   .section = entry->st_shndx,
                   .type = static_cast<std::uint8_t>(ELF64_ST_TYPE(entry->st_info)),
                   .binding = static_cast<std::uint8_t>(ELF64_ST_BIND(entry->st_info))});
  }
  return all;
}

std::vector<ElfFile::Note> ElfFile::notes() const {
  const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  std::vector<Note> all;
  for (const Section& section : sections_) {
    if (section.type != SHT_NOTE) continue;
    for (std::uint64_t at = 0;;) {
      const auto header = structure_at<Elf64_Nhdr>(section.bytes, at);
      if (!header) break;
      const std::uint64_t owner = at + sizeof(Elf64_Nhdr);
      const std::uint64_t description = owner + padded(header->n_namesz);
      if (!holds(section.bytes, owner, header->n_namesz) || !holds(section.bytes, description, header->n_descsz)) break;
      std::string_view name = section.bytes.substr(owner, header->n_namesz);
      if (name.ends_with('\0')) name.remove_suffix(1);
      all.push_back(
          {.owner = name, .type = header->n_type, .description = section.bytes.substr(description, header->n_descsz)});
      at = description + padded(header->n_descsz);
    }
  }
  return all;
}

}  // namespace kiln::base

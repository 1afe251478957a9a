// Reads 64-bit little-endian ELF files: sections, symbols, notes. The bytes may be anything: nothing outside them is read, and
// nothing is allocated beyond their size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::base {

class ElfFile {
 public:
  struct Section {
    std::string_view name;
    std::uint32_t type = 0;
    std::uint64_t flags = 0;
    std::uint64_t address = 0;
    std::uint64_t size = 0;  ///< in memory: not that of `bytes` where the file holds none of them
    std::uint32_t link = 0;
    std::uint32_t info = 0;
    std::uint64_t alignment = 0;  ///< of its address; any number
    std::string_view bytes;
  };
  struct Symbol {
    std::string_view name;
    std::uint64_t value = 0;
    std::uint64_t size = 0;
    std::uint32_t section = 0;  ///< its index; 0 where it is defined elsewhere
    std::uint8_t type = 0;      ///< STT_FUNC, …
    std::uint8_t binding = 0;   ///< STB_GLOBAL, …
  };
  struct Note {
    std::string_view owner;
    std::uint32_t type = 0;
    std::string_view description;
  };

  /// Refers to the bytes. Nothing, with the reason in `why`, where they are no such file or a table lies outside them.
  [[nodiscard]] static std::optional<ElfFile> read(std::string_view bytes, std::string* why);

  [[nodiscard]] std::uint16_t type() const noexcept { return type_; }  ///< ET_REL, …
  [[nodiscard]] std::uint16_t machine() const noexcept { return machine_; }
  [[nodiscard]] std::uint32_t flags() const noexcept { return flags_; }
  [[nodiscard]] const std::vector<Section>& sections() const noexcept { return sections_; }
  /// The first of that name; null where there is none.
  [[nodiscard]] const Section* section(std::string_view name) const noexcept;
  /// Of a section of type SHT_SYMTAB or SHT_DYNSYM, by index; a name outside its table is empty. Empty for a null section.
  [[nodiscard]] std::vector<Symbol> symbols(const Section* table) const;
  /// Of every note section, up to the first that does not fit.
  [[nodiscard]] std::vector<Note> notes() const;

 private:
  std::uint16_t type_ = 0;
  std::uint16_t machine_ = 0;
  std::uint32_t flags_ = 0;
  std::vector<Section> sections_;
};

/// A little-endian integer at an offset; nothing where it lies outside.
template <typename Integer>
[[nodiscard]] std::optional<Integer> read_little_endian(std::string_view bytes, std::size_t at) noexcept {
  if (at > bytes.size() || bytes.size() - at < sizeof(Integer)) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(Integer); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return static_cast<Integer>(value);
}

}  // namespace kiln::base

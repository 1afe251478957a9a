// A relocatable object (x86-64, AArch64) as one block of read-only code and constants: what a linker would do for a kernel.
// Knows no memory: code_arena.hpp in device/cpu gives the room. The bytes may be anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf.hpp"
#include "binary/relocation.hpp"

namespace kiln::base {

class CodeBlock {
 public:
  /// Alignments of the object are no larger. The block is to lie at a multiple of it.
  static constexpr std::size_t kAlignment = kMaxPlacedAlignment;

  struct Function {
    std::string_view name;
    std::uint64_t offset = 0;  ///< in the block
    std::uint64_t size = 0;
    bool exported = false;
  };

  /// Refers to the bytes. Nothing, with the reason in `why`, where they are damaged, or are not what kiln's loader takes: data
  /// that is written, variables of a thread, functions that run at loading, other relocations.
  [[nodiscard]] static std::optional<CodeBlock> read(std::string_view object, std::string* why);

  [[nodiscard]] Machine machine() const noexcept { return machine_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Of the instructions, at the beginning of the block, without stubs.
  [[nodiscard]] std::size_t code_size() const noexcept { return code_size_; }
  /// Those defined in the instructions.
  [[nodiscard]] std::vector<Function> functions() const;
  /// What others define, by name.
  [[nodiscard]] const std::vector<std::string_view>& imports() const noexcept { return imports_; }
  /// The offset of the jump to an import.
  [[nodiscard]] std::uint64_t stub(std::size_t import) const noexcept { return stubs_at_ + import * kStubBytes; }
  /// The offsets that are stored as addresses in the block, in the order of the object.
  [[nodiscard]] std::vector<std::uint64_t> stored_addresses() const;

  /// The block as it is to lie at `address`, into size() bytes; `imports` are the addresses of imports(). False, with the
  /// reason in `why`, where a relocation leads outside the object, or too far.
  [[nodiscard]] bool write(std::span<std::byte> block, std::uint64_t address, std::span<const std::uint64_t> imports,
                           std::string* why) const;

 private:
  struct Relocation {
    std::uint32_t type = 0;
    std::uint32_t symbol = 0;
    std::uint64_t at = 0;  ///< in the block
    std::int64_t addend = 0;
  };
  static constexpr std::uint64_t kNowhere = UINT64_MAX;

  [[nodiscard]] const char* lay_out();
  [[nodiscard]] const char* read_symbols();
  [[nodiscard]] const char* read_relocations();
  [[nodiscard]] const char* read_relocations(const ElfFile::Section& section);
  [[nodiscard]] const char* add_stubs_and_slots();
  void append(std::uint32_t section);
  [[nodiscard]] std::uint64_t target(const Relocation& each, std::uint64_t address,
                                     std::span<const std::uint64_t> imports) const;

  ElfFile file_;
  Machine machine_{};
  std::vector<std::uint64_t> places_;  ///< of sections, in the block; kNowhere for those that are not placed
  std::vector<ElfFile::Symbol> symbols_;
  std::vector<std::uint64_t> import_of_;  ///< of symbols; kNowhere for those that are defined
  std::vector<std::uint64_t> slot_of_;    ///< of symbols: the offset of the slot with its address, where there is one
  std::vector<std::string_view> imports_;
  std::vector<Relocation> relocations_;
  std::uint64_t code_size_ = 0;
  std::uint64_t stubs_at_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace kiln::base

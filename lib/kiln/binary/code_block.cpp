#include "binary/code_block.hpp"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace kiln::base {
namespace {

constexpr std::byte kTrap{0xcc};  // int3

std::uint64_t align_up(std::uint64_t size, std::uint64_t alignment) noexcept {
  return (size + alignment - 1) & ~(alignment - 1);
}

SectionHeader header_of(const ElfFile::Section& section) noexcept {
  return {
      .name = section.name, .type = section.type, .flags = section.flags, .size = section.size, .alignment = section.alignment};
}

bool is_placed(const ElfFile::Section& section) noexcept {
  return is_placed(header_of(section));
}

/// Sections of a damaged file may overlap: its block, or its relocations, could be many thousand times its size.
const char* refusal_of_sizes(const ElfFile& file, std::size_t file_bytes) noexcept {
  std::size_t placed = 0;
  std::size_t relocations = 0;
  for (const ElfFile::Section& each : file.sections()) {
    if (is_placed(each)) placed += each.bytes.size();
    if (each.type == SHT_RELA) relocations += each.bytes.size();
  }
  if (placed > file_bytes) return "its sections overlap: together they are larger than the file";
  if (relocations > file_bytes) return "its tables of relocations overlap: together they are larger than the file";
  return nullptr;
}

}  // namespace

std::optional<CodeBlock> CodeBlock::read(std::string_view object, std::string* why) {
  auto file = ElfFile::read(object, why);
  if (!file) return std::nullopt;
  CodeBlock block;
  block.file_ = *std::move(file);
  const char* reason = block.lay_out();
  if (reason == nullptr) reason = refusal_of_sizes(block.file_, object.size());
  if (reason == nullptr) reason = block.read_symbols();
  if (reason == nullptr) reason = block.read_relocations();
  if (reason == nullptr) reason = block.add_stubs_and_slots();
  if (reason == nullptr) return block;
  if (why != nullptr) *why = reason;
  return std::nullopt;
}

void CodeBlock::append(std::uint32_t section) {
  const ElfFile::Section& own = file_.sections()[section];
  size_ = align_up(size_, std::max<std::uint64_t>(own.alignment, 1));
  places_[section] = size_;
  size_ += own.size;
}

const char* CodeBlock::lay_out() {
  if (file_.type() != ET_REL) return "it is not a relocatable object";
  machine_ = static_cast<Machine>(file_.machine());
  if (machine_ != Machine::x86_64 && machine_ != Machine::aarch64) return "it is for another kind of processor";
  const auto& sections = file_.sections();
  places_.assign(sections.size(), kNowhere);
  for (const ElfFile::Section& each : sections) {
    if (const char* const reason = is_placed(each) ? refusal(header_of(each)) : nullptr; reason != nullptr) return reason;
  }
  const auto append_where = [&](auto&& wanted) {
    for (std::uint32_t i = 0; i < sections.size(); ++i) {
      if (is_placed(sections[i]) && wanted(sections[i])) append(i);
    }
  };
  append_where([](const auto& each) { return (each.flags & SHF_EXECINSTR) != 0; });
  code_size_ = size_;
  append_where([](const auto& each) { return (each.flags & SHF_EXECINSTR) == 0; });
  return code_size_ == 0 ? "it has no instructions" : nullptr;
}

const char* CodeBlock::read_symbols() {
  const auto& sections = file_.sections();
  const auto table = std::ranges::find(sections, std::uint32_t{SHT_SYMTAB}, &ElfFile::Section::type);
  if (table == sections.end()) return "it has no symbols";
  symbols_ = file_.symbols(&*table);
  import_of_.assign(symbols_.size(), kNowhere);
  slot_of_.assign(symbols_.size(), kNowhere);
  for (std::size_t i = 1; i < symbols_.size(); ++i) {
    const ElfFile::Symbol& symbol = symbols_[i];
    if (symbol.type == STT_TLS) return "it has variables of a thread";
    if (symbol.type == STT_GNU_IFUNC) return "it has functions that are chosen at loading";
    if (symbol.section == SHN_UNDEF) {
      if (symbol.name.empty()) return "a symbol has no name";
      import_of_[i] = imports_.size();
      imports_.push_back(symbol.name);
    } else if (symbol.section >= sections.size()) {
      if (symbol.section != SHN_ABS) return "a symbol is of no section";
    } else if (places_[symbol.section] != kNowhere && symbol.value > sections[symbol.section].size) {
      return "a symbol lies outside its section";
    }
  }
  return imports_.size() > kMaxPlacedImports ? "it needs too many functions" : nullptr;
}

const char* CodeBlock::read_relocations() {
  for (const ElfFile::Section& each : file_.sections()) {
    if (each.type != SHT_RELA && each.type != SHT_REL) continue;
    if (each.info >= places_.size()) return "its relocations are of no section";
    if (places_[each.info] == kNowhere) continue;
    if (each.type == SHT_REL) return "it has relocations of a kind that is not applied";
    if (const char* const reason = read_relocations(each); reason != nullptr) return reason;
  }
  return nullptr;
}

const char* CodeBlock::read_relocations(const ElfFile::Section& section) {
  const ElfFile::Section& changed = file_.sections()[section.info];
  for (std::size_t at = 0; at + sizeof(Elf64_Rela) <= section.bytes.size(); at += sizeof(Elf64_Rela)) {
    Elf64_Rela entry;
    std::memcpy(&entry, section.bytes.data() + at, sizeof(entry));
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info));
    const std::size_t bytes = relocated_bytes(machine_, type);
    if (type == 0) continue;  // R_…_NONE
    if (bytes == 0) return "it has relocations of a kind that is not applied";
    if (entry.r_offset > changed.size || changed.size - entry.r_offset < bytes) return "a relocation lies outside its section";
    const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(entry.r_info));
    if (symbol == 0 || symbol >= symbols_.size()) return "a relocation is of no symbol";
    const std::uint32_t home = symbols_[symbol].section;
    if (home != SHN_UNDEF && home < places_.size() && places_[home] == kNowhere)
      return "a relocation leads to what is not placed";
    relocations_.push_back(
        {.type = type, .symbol = symbol, .at = places_[section.info] + entry.r_offset, .addend = entry.r_addend});
  }
  return nullptr;
}

const char* CodeBlock::add_stubs_and_slots() {
  stubs_at_ = align_up(size_, 8);
  std::uint64_t end = stubs_at_ + imports_.size() * kStubBytes;
  const auto add_slot = [&](std::size_t symbol) {
    if (slot_of_[symbol] != kNowhere) return;
    slot_of_[symbol] = end;
    end += 8;
  };
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    if (import_of_[i] != kNowhere) add_slot(i);
  }
  for (const Relocation& each : relocations_) {
    if (goes_through_slot(machine_, each.type)) add_slot(each.symbol);
  }
  size_ = end;
  return nullptr;
}

std::vector<CodeBlock::Function> CodeBlock::functions() const {
  std::vector<Function> all;
  for (const ElfFile::Symbol& each : symbols_) {
    if (each.type != STT_FUNC || each.section >= places_.size() || places_[each.section] == kNowhere) continue;
    const std::uint64_t offset = places_[each.section] + each.value;
    if (offset >= code_size_) continue;
    all.push_back({.name = each.name,
                   .offset = offset,
                   .size = std::min(each.size, code_size_ - offset),
                   .exported = each.binding != STB_LOCAL});
  }
  return all;
}

std::vector<std::uint64_t> CodeBlock::stored_addresses() const {
  std::vector<std::uint64_t> all;
  for (const Relocation& each : relocations_) {
    if (stores_address(machine_, each.type) && import_of_[each.symbol] == kNowhere) all.push_back(target(each, 0, {}));
  }
  return all;
}

/// Addresses are computed without regard to overflow: what is out of reach is refused where it is stored.
std::uint64_t CodeBlock::target(const Relocation& each, std::uint64_t address, std::span<const std::uint64_t> imports) const {
  const auto addend = static_cast<std::uint64_t>(each.addend);
  if (goes_through_slot(machine_, each.type)) return address + slot_of_[each.symbol] + addend;
  if (const std::uint64_t import = import_of_[each.symbol]; import != kNowhere) {
    return (stores_address(machine_, each.type) ? imports[import] : address + stub(import)) + addend;
  }
  const ElfFile::Symbol& symbol = symbols_[each.symbol];
  const std::uint64_t base = symbol.section == SHN_ABS ? 0 : address + places_[symbol.section];
  return base + symbol.value + addend;
}

bool CodeBlock::write(std::span<std::byte> block, std::uint64_t address, std::span<const std::uint64_t> imports,
                      std::string* why) const {
  // Zeros between functions would be read as the beginning of an instruction by a disassembler.
  const auto code = static_cast<std::ptrdiff_t>(code_size_);
  std::fill(block.begin(), block.begin() + code, machine_ == Machine::x86_64 ? kTrap : std::byte{0});
  std::fill(block.begin() + code, block.end(), std::byte{0});
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i] == kNowhere) continue;
    const std::string_view bytes = file_.sections()[i].bytes;
    std::memcpy(block.data() + places_[i], bytes.data(), bytes.size());
  }
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const std::uint64_t slot = slot_of_[i];
    if (slot == kNowhere) continue;
    const std::uint64_t import = import_of_[i];
    const Relocation whole{.type = 0, .symbol = static_cast<std::uint32_t>(i)};
    const std::uint64_t value = import != kNowhere ? imports[import] : target(whole, address, imports);
    std::memcpy(block.data() + slot, &value, sizeof(value));
    if (import != kNowhere) {
      write_stub(machine_, block.subspan(stub(import)).first<kStubBytes>(), static_cast<std::uint32_t>(slot - stub(import)));
    }
  }
  for (const Relocation& each : relocations_) {
    const std::span<std::byte> bytes = block.subspan(each.at, relocated_bytes(machine_, each.type));
    if (relocate(machine_, each.type, bytes, address + each.at, target(each, address, imports))) continue;
    if (why != nullptr) *why = "a relocation leads too far";
    return false;
  }
  return true;
}

}  // namespace kiln::base

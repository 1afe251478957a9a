#include "clang/driver/placeable.hpp"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <llvm/Object/ELFTypes.h>

#include <cstddef>
#include <cstdint>

#include "shared/placed_relocations.hpp"

namespace kiln::clang_module {
namespace {

using llvm::object::ELF64LE;
using File = llvm::object::ELFFile<ELF64LE>;
using Section = File::Elf_Shdr;
namespace ELF = llvm::ELF;

constexpr auto kMaxImports = static_cast<std::ptrdiff_t>(base::kMaxPlacedImports);

base::SectionHeader header_of(const Section& section, llvm::StringRef name = {}) {
  return {.name = name,
          .type = section.sh_type,
          .flags = section.sh_flags,
          .size = section.sh_size,
          .alignment = section.sh_addralign};
}

bool is_placeable(const File::Elf_Sym& symbol, llvm::StringRef name) {
  if (symbol.getType() == ELF::STT_TLS || symbol.getType() == ELF::STT_GNU_IFUNC || symbol.isCommon()) return false;
  return !symbol.isUndefined() ||
         (symbol.getBinding() != ELF::STB_WEAK && !name.empty() && name != "_GLOBAL_OFFSET_TABLE_" && name != "__ehdr_start" &&
          name != "_DYNAMIC" && !name.starts_with("__start_") && !name.starts_with("__stop_"));
}

/// What is damaged is not placeable: the linker says why.
template <class T>
const T* value_of(llvm::Expected<T>& expected) {
  if (expected) return &*expected;
  llvm::consumeError(expected.takeError());
  return nullptr;
}

bool is_placeable(const File& file, const File::Elf_Rela& relocation, const Section* symbols, const File::Elf_Shdr_Range& all) {
  const auto machine = static_cast<base::Machine>(static_cast<std::uint16_t>(file.getHeader().e_machine));
  if (!base::is_placed(machine, relocation.getType(/*isMips64EL=*/false))) return false;
  auto found = file.getRelocationSymbol(relocation, symbols);
  const File::Elf_Sym* const* const symbol = value_of(found);
  if (symbol == nullptr || *symbol == nullptr) return false;
  const std::uint32_t home = (*symbol)->st_shndx;
  return home == ELF::SHN_UNDEF || home >= all.size() || base::is_placed(header_of(all[home]));
}

bool are_placeable(const File& file, const Section& section, const File::Elf_Shdr_Range& all) {
  if (section.sh_info >= all.size()) return false;
  if (!base::is_placed(header_of(all[section.sh_info]))) return true;
  if (section.sh_type != ELF::SHT_RELA || section.sh_link >= all.size()) return false;
  auto relocations = file.relas(section);
  const auto* const known = value_of(relocations);
  return known != nullptr &&
         llvm::all_of(*known, [&](const auto& each) { return is_placeable(file, each, &all[section.sh_link], all); });
}

bool symbols_are_placeable(const File& file, const Section& section) {
  auto symbols = file.symbols(&section);
  auto names = file.getStringTableForSymtab(section);
  const auto* const known = value_of(symbols);
  const auto* const texts = value_of(names);
  if (known == nullptr || texts == nullptr || known->empty()) return false;
  const auto own = known->drop_front();  // the first is of no name
  if (llvm::count_if(own, [](const auto& symbol) { return symbol.isUndefined(); }) > kMaxImports) return false;
  return llvm::all_of(own, [&](const File::Elf_Sym& symbol) {
    auto name = symbol.getName(*texts);
    const llvm::StringRef* const text = value_of(name);
    return text != nullptr && is_placeable(symbol, *text);
  });
}

bool is_placeable(const File& file, const Section& section, const File::Elf_Shdr_Range& all) {
  auto name = file.getSectionName(section);
  const llvm::StringRef* const text = value_of(name);
  if (text == nullptr) return false;
  const base::SectionHeader header = header_of(section, *text);
  if (base::is_placed(header) && base::refusal(header) != nullptr) return false;
  if (section.sh_type == ELF::SHT_RELA || section.sh_type == ELF::SHT_REL) return are_placeable(file, section, all);
  return section.sh_type != ELF::SHT_SYMTAB || symbols_are_placeable(file, section);
}

}  // namespace

bool is_placeable(llvm::StringRef object) {
  auto file = File::create(object);
  const File* const known = value_of(file);
  if (known == nullptr || known->getHeader().e_type != ELF::ET_REL) return false;
  auto sections = known->sections();
  const auto* const all = value_of(sections);
  return all != nullptr && llvm::all_of(*all, [&](const Section& each) { return is_placeable(*known, each, *all); });
}

}  // namespace kiln::clang_module

#include "clang/driver/placeable.hpp"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <llvm/Object/ELFTypes.h>

#include "shared/placed_relocations.hpp"

namespace kiln::clang_module {
namespace {

using llvm::object::ELF64LE;
using File = llvm::object::ELFFile<ELF64LE>;
using Section = File::Elf_Shdr;
namespace ELF = llvm::ELF;

bool is_constant(const Section& section, llvm::StringRef name) {
  if ((section.sh_flags & ELF::SHF_ALLOC) == 0 || section.sh_size == 0) return true;  // not loaded
  if ((section.sh_flags & ELF::SHF_TLS) != 0) return false;
  if ((section.sh_flags & ELF::SHF_WRITE) != 0 && !name.starts_with(".data.rel.ro")) return false;
  return section.sh_type == ELF::SHT_PROGBITS || section.sh_type == ELF::SHT_X86_64_UNWIND;
}

bool is_placeable(const File::Elf_Sym& symbol, llvm::StringRef name) {
  if (symbol.getType() == ELF::STT_TLS || symbol.getType() == ELF::STT_GNU_IFUNC || symbol.isCommon()) return false;
  return !symbol.isUndefined() || name.empty() ||
         (symbol.getBinding() != ELF::STB_WEAK && name != "_GLOBAL_OFFSET_TABLE_" && name != "__ehdr_start" &&
          name != "_DYNAMIC" && !name.starts_with("__start_") && !name.starts_with("__stop_"));
}

/// What is damaged is not placeable: the linker says why.
template <class T>
const T* value_of(llvm::Expected<T>& expected) {
  if (expected) return &*expected;
  llvm::consumeError(expected.takeError());
  return nullptr;
}

bool are_placeable(const File& file, const Section& section, const File::Elf_Shdr_Range& all) {
  if (section.sh_info >= all.size() || (all[section.sh_info].sh_flags & ELF::SHF_ALLOC) == 0) return true;
  if (section.sh_type != ELF::SHT_RELA) return false;
  auto relocations = file.relas(section);
  const auto* const known = value_of(relocations);
  const auto machine = static_cast<base::Machine>(static_cast<std::uint16_t>(file.getHeader().e_machine));
  return known != nullptr &&
         llvm::all_of(*known, [&](const auto& each) { return base::is_placed(machine, each.getType(/*isMips64EL=*/false)); });
}

bool symbols_are_placeable(const File& file, const Section& section) {
  auto symbols = file.symbols(&section);
  auto names = file.getStringTableForSymtab(section);
  const auto* const known = value_of(symbols);
  const auto* const texts = value_of(names);
  if (known == nullptr || texts == nullptr) return false;
  return llvm::all_of(*known, [&](const File::Elf_Sym& symbol) {
    auto name = symbol.getName(*texts);
    const llvm::StringRef* const text = value_of(name);
    return text != nullptr && is_placeable(symbol, *text);
  });
}

bool is_placeable(const File& file, const Section& section, const File::Elf_Shdr_Range& all) {
  auto name = file.getSectionName(section);
  const llvm::StringRef* const text = value_of(name);
  if (text == nullptr || !is_constant(section, *text)) return false;
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

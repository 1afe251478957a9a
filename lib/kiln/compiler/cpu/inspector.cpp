// What is known of a kernel's object, relocatable or shared: its sections are read by our own reader, which trusts nothing,
// its instructions by LLVM where they are asked for.
#include <elf.h>

#include <algorithm>
#include <cstddef>

#include "binary/code_block.hpp"
#include "binary/disassembly.hpp"
#include "binary/elf.hpp"
#include "compiler/inspector.hpp"

namespace kiln::backend::cpu {
namespace {

constexpr const char* kKernel = "kiln_kernel";
constexpr const char* kBlocks = "run_blocks";  // kernels-src/elementwise/cpu.hpp

/// The machine code of a kernel, and the names of what it reaches.
struct Contents {
  bool x86 = false;
  std::string code = {};
  std::uint64_t address = 0;         ///< of the first byte
  std::vector<CodeName> names = {};  ///< the kernel's first
};

struct Relocation {
  std::uint64_t place, symbol, addend;
};

std::vector<Relocation> relocations_of(const base::ElfFile::Section* section) {
  std::vector<Relocation> all;
  if (section == nullptr) return all;
  for (std::size_t at = 0;; at += sizeof(Elf64_Rela)) {
    const auto place = base::read_little_endian<std::uint64_t>(section->bytes, at);
    const auto info = base::read_little_endian<std::uint64_t>(section->bytes, at + 8);
    const auto addend = base::read_little_endian<std::uint64_t>(section->bytes, at + 16);
    if (!place || !info || !addend) return all;
    all.push_back({*place, ELF64_R_SYM(*info), *addend});
  }
}

/// Calls of other libraries go through stubs, each of which jumps to the address in a slot of its own.
void add_stubs(const base::ElfFile& file, const std::vector<base::ElfFile::Symbol>& symbols, std::vector<CodeName>& names) {
  const base::ElfFile::Section* const stubs = file.section(".plt");
  if (stubs == nullptr || file.machine() != EM_X86_64) return;
  const std::vector<Relocation> slots = relocations_of(file.section(".rela.plt"));
  constexpr std::size_t kStubBytes = 16;
  for (std::size_t at = 0; at + kStubBytes <= stubs->bytes.size(); at += kStubBytes) {
    if (!stubs->bytes.substr(at).starts_with("\xff\x25")) continue;  // jmp [rip + …]
    const auto distance = base::read_little_endian<std::uint32_t>(stubs->bytes, at + 2);
    const std::uint64_t address = stubs->address + at;
    const std::uint64_t slot = address + 6 + static_cast<std::uint64_t>(static_cast<std::int32_t>(distance.value_or(0)));
    for (const Relocation& each : slots) {
      if (each.place == slot && each.symbol < symbols.size() && !symbols[each.symbol].name.empty()) {
        names.push_back({address, std::string(symbols[each.symbol].name)});
        break;
      }
    }
  }
}

/// Everything that this compiler can make; the instructions are the same whatever the processor has.
std::vector<Instruction> instructions_of(const Contents& contents) {
  return disassemble({.triple = contents.x86 ? "x86_64-pc-linux-gnu" : "aarch64-unknown-linux-gnu",
                      .processor = contents.x86 ? "x86-64" : "generic",
                      .features = contents.x86 ? "" : "+all",
                      .bytes = contents.code,
                      .address = contents.address});
}

/// A relocatable object as it would lie at the address 0.
Contents read_object(const StoredCode& code) {
  std::string why;
  const auto block = base::CodeBlock::read(code.bytes, &why);
  if (!block) refuse_damaged(code, why);
  Contents contents{.x86 = block->machine() == base::Machine::x86_64};
  const auto functions = block->functions();
  const auto kernel = std::ranges::find(functions, std::string_view(kKernel), &base::CodeBlock::Function::name);
  if (kernel == functions.end()) refuse_damaged(code, std::string("it has no function ") + kKernel);
  contents.names.push_back({kernel->offset, kKernel});
  for (const std::uint64_t address : block->stored_addresses()) {
    if (address >= block->code_size()) continue;
    contents.names.push_back({address, kBlocks});
    break;
  }
  for (std::size_t i = 0; i < block->imports().size(); ++i) {
    contents.names.push_back({block->stub(i), std::string(block->imports()[i])});
  }
  std::vector<std::byte> bytes(block->size());
  const std::vector<std::uint64_t> nowhere(block->imports().size());
  if (!block->write(bytes, 0, nowhere, &why)) refuse_damaged(code, why);
  contents.code.assign(reinterpret_cast<const char*>(bytes.data()), block->code_size());
  return contents;
}

Contents read_shared_object(const StoredCode& code, const base::ElfFile& file) {
  const bool x86 = file.machine() == EM_X86_64;
  if (!x86 && file.machine() != EM_AARCH64) refuse_damaged(code, "it is for another kind of processor");
  const base::ElfFile::Section* const text = file.section(".text");
  if (text == nullptr) refuse_damaged(code, "it has no instructions");
  const auto in_text = [text](std::uint64_t address) {
    return address >= text->address && address - text->address < text->bytes.size();
  };
  const std::vector<base::ElfFile::Symbol> symbols = file.symbols(file.section(".dynsym"));
  Contents contents{.x86 = x86, .code = std::string(text->bytes), .address = text->address};
  const auto kernel = std::find_if(symbols.begin(), symbols.end(), [](const auto& each) { return each.name == kKernel; });
  if (kernel == symbols.end() || !in_text(kernel->value)) refuse_damaged(code, std::string("it has no function ") + kKernel);
  contents.names.push_back({kernel->value, kKernel});
  // The kernel hands its description to the driver: a structure that begins with the address of what computes the blocks.
  for (const Relocation& each : relocations_of(file.section(".rela.dyn"))) {
    if (each.symbol == 0 && in_text(each.addend)) {
      contents.names.push_back({each.addend, kBlocks});
      break;
    }
  }
  add_stubs(file, symbols, contents.names);
  return contents;
}

Contents read(const StoredCode& code) {
  std::string why;
  const auto file = base::ElfFile::read(code.bytes, &why);
  if (!file) refuse_damaged(code, why);
  return file->type() == ET_REL ? read_object(code) : read_shared_object(code, *file);
}

class CpuInspector final : public Inspector {
 public:
  std::vector<inspect::Form> forms(const StoredCode&) const override {
    return {inspect::Form::source, inspect::Form::assembly, inspect::Form::llvm_ir};
  }
  std::optional<std::string> text(const StoredCode& code, inspect::Form form) const override {
    if (form != inspect::Form::assembly) return std::nullopt;
    const Contents contents = read(code);
    return listing(instructions_of(contents), contents.names);
  }
  inspect::Resources resources(const StoredCode& code) const override {
    inspect::Resources resources;
    resources.code_bytes = static_cast<std::int64_t>(read(code).code.size());
    return resources;
  }
};

}  // namespace

const Inspector* inspector_for_target(std::string_view target) {
  static const CpuInspector inspector;
  const std::string_view name = short_name(target);
  return name == "aarch64" || name == "x86-64" || name.starts_with("x86-64-v") ? &inspector : nullptr;
}

}  // namespace kiln::backend::cpu

#include "clang/driver/disassemble.hpp"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <memory>

#include "shared/c_locale.hpp"

namespace kiln::clang_module {
namespace {

/// MC's objects for one target, in the order that they refer to each other.
struct Machine {
  Machine(const llvm::Target& target, const kiln_clang_machine_code& code)
      : triple(code.triple),
        registers(target.createMCRegInfo(code.triple)),
        assembly(target.createMCAsmInfo(*registers, code.triple, options)),
        subtarget(target.createMCSubtargetInfo(code.triple, code.processor, code.features)),
        instructions(target.createMCInstrInfo()),
        context(triple, assembly.get(), registers.get(), subtarget.get()),
        disassembler(target.createMCDisassembler(*subtarget, context)),
        analysis(target.createMCInstrAnalysis(instructions.get())),
        // Intel's syntax where there is a choice: destinations first, as on the GPUs.
        printer(target.createMCInstPrinter(triple, triple.isX86() ? 1 : assembly->getAssemblerDialect(), *assembly,
                                           *instructions, *registers)) {
    printer->setPrintBranchImmAsAddress(true);
  }

  llvm::Triple triple;
  llvm::MCTargetOptions options;
  std::unique_ptr<const llvm::MCRegisterInfo> registers;
  std::unique_ptr<const llvm::MCAsmInfo> assembly;
  std::unique_ptr<const llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<const llvm::MCInstrInfo> instructions;
  llvm::MCContext context;
  std::unique_ptr<const llvm::MCDisassembler> disassembler;
  std::unique_ptr<const llvm::MCInstrAnalysis> analysis;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

std::string tidied(llvm::StringRef text) {
  std::string result = text.trim().str();
  std::replace(result.begin(), result.end(), '\t', ' ');
  return result;
}

std::string bytes_text(llvm::ArrayRef<std::uint8_t> bytes) {
  std::string text = ".byte";
  for (const std::uint8_t byte : bytes) text += llvm::formatv(" {0:x2}", byte).str();
  return text;
}

}  // namespace

void disassemble(const kiln_clang_machine_code& code, Disassembled& out) {
  const base::CLocale locale;  // LLVM prints fractions by snprintf
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(code.triple, out.error);
  if (target == nullptr) return;
  // Asked first: for a processor that it does not know, LLVM prints a warning and goes on.
  const std::unique_ptr<const llvm::MCSubtargetInfo> any(target->createMCSubtargetInfo(code.triple, "", ""));
  if (!any->isCPUStringValid(code.processor)) {
    out.error = std::string("LLVM's disassembler knows no processor \"") + code.processor + '"';
    return;
  }
  Machine machine(*target, code);
  // Instructions of what is not a multiple of this are looked for at every byte.
  const std::size_t unit = machine.triple.isX86() ? 1 : machine.assembly->getMinInstAlignment();
  const llvm::ArrayRef<std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(code.bytes.data), code.bytes.size);
  for (std::size_t at = 0; at < bytes.size();) {
    Instruction line;
    line.address = code.address + at;
    llvm::MCInst instruction;
    std::uint64_t size = 0;
    const auto status =
        machine.disassembler->getInstruction(instruction, size, bytes.drop_front(at), line.address, llvm::nulls());
    if (status == llvm::MCDisassembler::Fail || size == 0 || size > bytes.size() - at) {
      size = std::min(unit, bytes.size() - at);
      line.text = bytes_text(bytes.slice(at, size));
    } else {
      llvm::raw_string_ostream stream(line.text);
      machine.printer->printInst(&instruction, line.address, "", *machine.subtarget, stream);
      line.text = tidied(line.text);
      std::uint64_t destination = 0;
      if (machine.analysis != nullptr && machine.analysis->evaluateBranch(instruction, line.address, size, destination)) {
        line.target = destination;
      }
    }
    line.size = static_cast<std::uint32_t>(size);
    at += size;
    out.instructions.push_back(std::move(line));
  }
}

}  // namespace kiln::clang_module

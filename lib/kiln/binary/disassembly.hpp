// Machine code as text: instructions by LLVM's disassembler, and the listing that is made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::backend {

struct Instruction {
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  std::optional<std::uint64_t> target = {};  ///< of a direct branch or call
  std::string text = {};
};

/// A name for an address: a function's, or that of what is called.
struct CodeName {
  std::uint64_t address = 0;
  std::string name = {};
};

/// Machine code without its container, and the processor that it is for, as LLVM names them.
struct MachineCode {
  std::string triple = {};
  std::string processor = {};
  std::string features = {};  ///< "+this,-that"
  std::string_view bytes = {};
  std::uint64_t address = 0;  ///< of the first byte
};

/// The bytes may be anything: what is no instruction is shown as bytes. DeviceError where LLVM is not there, with every path
/// tried, or does not know the processor.
[[nodiscard]] std::vector<Instruction> disassemble(const MachineCode& code);

/// One line for each instruction. Branches go to the names given, or to labels ".L1", ".L2", … in the order of addresses.
/// The function at `names.front()` comes first, the rest follows as it lies in memory. Pure.
[[nodiscard]] std::string listing(const std::vector<Instruction>& instructions, const std::vector<CodeName>& names);

/// What each kind of backend offers to disassemble().
namespace cpu {
std::vector<Instruction> disassemble(const MachineCode& code);
}  // namespace cpu

}  // namespace kiln::backend

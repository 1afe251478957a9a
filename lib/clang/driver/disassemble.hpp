// Machine code to text, by LLVM's MC layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clang/interface.h"

namespace kiln::clang_module {

struct Instruction {
  std::uint64_t address = 0;
  std::uint64_t target = UINT64_MAX;
  std::uint32_t size = 0;
  std::string text;
};

struct Disassembled {
  std::vector<Instruction> instructions;
  std::string error;
};

/// Any bytes may be given. Thread-safe.
void disassemble(const kiln_clang_machine_code& code, Disassembled& out);

}  // namespace kiln::clang_module

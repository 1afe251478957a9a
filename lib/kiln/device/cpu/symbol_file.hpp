// What debuggers and profilers learn of code that no file holds: which functions of which kernel lie where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "binary/relocation.hpp"

namespace kiln::backend::cpu {

/// Placed code of a kernel.
struct CodeSymbols {
  struct Function {
    std::string name;  ///< as a linker knows it
    std::uint64_t address = 0;
    std::uint64_t size = 0;
  };
  base::Machine machine{};
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::vector<Function> functions;
};

/// An ELF file of its names alone, as gdb's interface for compilers at run time takes it. Pure.
[[nodiscard]] std::string symbol_file(const CodeSymbols& symbols);

}  // namespace kiln::backend::cpu

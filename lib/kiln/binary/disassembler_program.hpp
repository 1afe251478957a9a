// A vendor's own disassembler, run on a file.
#pragma once

#include <string>
#include <vector>

#include "binary/stored_code.hpp"
#include "kiln/inspect.hpp"
#include "library/dialect.hpp"

namespace kiln::backend::gpu {

/// Every path to try, best first: each program in the folders of PATH, then in those of the vendor's installation.
struct ProgramCandidate {
  std::string path;
  const DisassemblerProgram* program = nullptr;
};
[[nodiscard]] std::vector<ProgramCandidate> disassembler_candidates(const Dialect& dialect);

/// What the first of them that is there prints. DeviceError where none is, with every path tried, and where it fails, with its
/// words.
[[nodiscard]] std::string disassemble_by_program(const Dialect& dialect, const StoredCode& code);

}  // namespace kiln::backend::gpu

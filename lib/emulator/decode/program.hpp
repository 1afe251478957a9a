// A module decoded and ready to run: its variables have memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/decode/code.hpp"
#include "emulator/memory.hpp"

namespace kiln::emulator {

struct Program {
  Module module;
  std::string kernel_name;  ///< what the user calls its kernel, where the text begins with it: "// kernel saxpy"
  std::map<std::string_view, std::unique_ptr<Code>> codes;
  /// Of functions, and of variables: generic for .global and .const, offsets for .shared; those of a function as
  /// "function/variable".
  std::map<std::string, std::uint64_t, std::less<>> addresses;
  std::vector<const Statement*> statements;
  std::vector<const Code*> functions;  ///< each kFunctionBytes of kFunctionWindow
  std::uint32_t static_shared = 0;     ///< bytes; dynamic shared memory begins behind
  std::vector<std::uint64_t> owned;    ///< allocations of variables
  std::uint64_t faults = 0;            ///< address of what kernels in debug mode write their faults to; 0: they have none

  /// Whether a kernel has reported a fault that nobody has read.
  [[nodiscard]] bool has_reported() const noexcept;
  /// "body:3:7", or where the user's text was inlined; empty where the PTX has no lines.
  [[nodiscard]] std::string place_of(std::uint32_t statement) const;
  [[nodiscard]] const Code* kernel(std::string_view name) const;
  /// Null where the address is none of a function that may be called.
  [[nodiscard]] const Code* function_at(std::uint64_t address) const noexcept;
};

/// PtxError for an instruction that is not known, or a target that is not. Variables are made in `memory`.
[[nodiscard]] std::unique_ptr<Program> decode(Module module, Memory& memory);

}  // namespace kiln::emulator

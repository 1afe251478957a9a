// What LLVM knows of the machine code that it makes, noted while it compiles.
#pragma once

#include <cstdint>
#include <optional>

#include "clang/driver/diagnostic.hpp"

namespace llvm {
class PassBuilder;
}  // namespace llvm

namespace kiln::clang_module {

/// The members are those of kiln_clang_report.
struct CodeReport {
  bool known = false;
  std::int64_t vector_bits = 0;
  std::int64_t spills = 0;
  std::int64_t stack_bytes = 0;
  std::optional<Diagnostic> scalar_because;
};

/// Registers what fills the report, which outlives the compile: before passes that find reasons.
void note_reasons(llvm::PassBuilder& builder, CodeReport& report);
/// The other part, behind all passes. Drops locations, which only reasons have a use for, if `drop_locations`.
void note_code(llvm::PassBuilder& builder, CodeReport& report, bool drop_locations);

}  // namespace kiln::clang_module

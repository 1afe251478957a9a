// What declarations and statements of a PTX text are made of. Each function takes its part from the lexer; PtxError for what
// does not parse.
#pragma once

#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"

namespace kiln::emulator {

/// Decimal, octal, hexadecimal or binary, with a sign or the suffix U. A negative one wraps.
std::uint64_t take_integer(Lexer& lexer);
/// An integer, or the bits of a floating-point number.
[[nodiscard]] Operand take_number(Lexer& lexer);
[[nodiscard]] Operand take_operand(Lexer& lexer);

[[nodiscard]] std::optional<Space> space_named(std::string_view directive);
/// What stands behind the space: ".align 8 .b8 name[64] = {…}".
[[nodiscard]] Variable take_variable(Lexer& lexer, Space space);

}  // namespace kiln::emulator

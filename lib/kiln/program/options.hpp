// CompileOptions on their way into a kernel.
#pragma once

#include <string>

#include "kiln/compile_options.hpp"
#include "source/user_text.hpp"

namespace kiln::program {

/// SignatureError for a define that names no macro or has several lines, and for options that exclude each other, CompileError
/// for a text that check_text() refuses. `kernel` is the name shown.
void check_options(const std::string& kernel, const CompileOptions& options);

/// What is checked: as the options say, and KILN_DEBUG ("1"; "nan": NaN results as well; "race": races).
[[nodiscard]] Debug debug_of(const CompileOptions& options);

/// Whether functions are to give the same bits on every device: as the options say, or KILN_SAME_BITS=1.
[[nodiscard]] bool same_bits_of(const CompileOptions& options);

/// CompileError for a function that is approximate, and differs between devices, in one of the texts: of a kernel whose
/// functions are to give the same bits.
void check_same_bits(const codegen::UserText& text);

/// Puts the texts among them beside a body, with what is checked.
void add_options(codegen::UserText& text, const CompileOptions& options);

}  // namespace kiln::program

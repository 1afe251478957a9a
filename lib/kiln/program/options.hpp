// CompileOptions on their way into a kernel.
#pragma once

#include <string>

#include "kiln/compile_options.hpp"
#include "source/user_text.hpp"

namespace kiln::program {

/// SignatureError for a define that names no macro or has several lines, CompileError for a text that check_text() refuses.
/// `kernel` is the name shown.
void check_options(const std::string& kernel, const CompileOptions& options);

/// What is checked: as the options say, and KILN_DEBUG ("1"; "nan": NaN results as well; "race": races).
[[nodiscard]] Debug debug_of(const CompileOptions& options);

/// Puts the texts among them beside a body, with what is checked.
void add_options(codegen::UserText& text, const CompileOptions& options);

}  // namespace kiln::program

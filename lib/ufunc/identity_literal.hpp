// An identity that is a plain number, which can be held against a loop's dtype before anything is compiled.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kiln/dtype.hpp"

namespace kiln::ufunc {

/// The value of "-INFINITY", "NAN", "(1e30)", "0.5f": a floating literal, with signs and in parentheses. None for other
/// expressions, and for integers, which wrap as C++ has it: "-1" is all bits of any unsigned dtype.
[[nodiscard]] std::optional<double> floating_literal(std::string_view text);

/// Whether it is not a floating literal that the integer or bool dtype cannot hold.
[[nodiscard]] bool identity_fits(const std::string& identity, DType dtype);

/// TypeError where the identity is a floating literal that the integer or bool dtype of the loop cannot hold.
void check_identity(const std::string& name, const std::string& identity, DType dtype, const std::string& loop);

}  // namespace kiln::ufunc

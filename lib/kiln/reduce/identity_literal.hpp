// An identity that is a plain number, which can be held against a loop's dtype before anything is compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kiln/dtype.hpp"

namespace kiln::reduce {

/// A literal with signs and in parentheses: "-INFINITY", "NAN", "(1e30)", "0.5f", "-1", "0xffu", "1'000".
struct Literal {
  std::optional<double> floating = std::nullopt;
  std::uint64_t magnitude = 0;  ///< of an integer
  bool negative = false;        ///< of an integer
  bool bits = false;            ///< an integer that is not decimal
};
/// None for other expressions.
[[nodiscard]] std::optional<Literal> literal_of(std::string_view text);

/// Whether it is not a literal that the integer or bool dtype cannot hold. Negative numbers are bits of unsigned dtypes as in
/// C++, "-1" all of them, and "0xff" is all bits of any dtype of 8.
[[nodiscard]] bool identity_fits(const std::string& identity, DType dtype);

/// TypeError where the identity is a literal that the integer or bool dtype of the loop cannot hold.
void check_identity(const std::string& name, const std::string& identity, DType dtype, const std::string& loop);

}  // namespace kiln::reduce

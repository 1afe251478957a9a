// Integer expressions over core dimensions: size rules, "p = m + n - 1, q = 2 * p", which say how large dimensions are that no
// input has, and a team's shared memory, "T[n], index[2 * lanes]".
// Text to value; every error has its place in the text. The grammar stands in docs/gufuncs.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "signature/layout.hpp"

namespace kiln::signature {

/// One rule: an integer expression in postfix form.
struct SizeRule {
  enum class Operation : std::uint8_t { constant, dimension, add, subtract, multiply, divide, remainder, negate, min, max };
  struct Step {
    Operation operation;
    std::int64_t value = 0;  ///< of a constant; index of a dimension
  };
  std::size_t dimension = 0;  ///< whose size it gives: an index into Layout::dimensions
  std::vector<Step> steps = {};
  std::string text = {};           ///< "p = m + n - 1"
  const char* what = "size rule";  ///< for messages
};

/// In an order in which each uses only sizes that are known: of inputs, fixed ones, and those of rules before it.
using SizeRules = std::vector<SizeRule>;

/// No rules for a text of blanks. SignatureError with the position where the text is no list of rules, or a rule is for a
/// dimension that an input, its fixed size or another rule decides, or uses a size that is not known by then.
[[nodiscard]] SizeRules parse_size_rules(std::string_view text, const Layout& layout);

/// An array that the threads of a team share.
struct SharedArray {
  std::string type = {};     ///< "float32", a type variable, or "index"
  std::size_t position = 0;  ///< of the type in the text
  SizeRule count = {};       ///< of its elements; its text is that of the array, "T[2 * n]"
};

/// None for a text of blanks. Counts may use every dimension of the layout. SignatureError with the position.
[[nodiscard]] std::vector<SharedArray> parse_shared_arrays(std::string_view text, const Layout& layout);

/// What the rule gives for `sizes` (of every dimension of the layout; those that the rule uses are known). Division and
/// remainder round down. ShapeError, which begins with `name`, where the result is negative, overflows or divides by zero.
[[nodiscard]] std::int64_t evaluate(const SizeRule& rule, const Layout& layout, std::span<const std::int64_t> sizes,
                                    std::string_view name);

}  // namespace kiln::signature

#include "source/literal_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "source/body_tokens.hpp"
#include "source/misuse.hpp"
#include "source/text_error.hpp"

namespace kiln::codegen {
namespace {

void check_index(const BodyTokens& body, BodyTokens::Range index, const Operand& view, std::size_t d) {
  const auto [first, end] = index;
  if (!body.is(first, "-") || end != first + 2 || body[first + 1].kind != Token::Kind::number) return;
  const std::string& literal = body[first + 1].text;
  if (literal.find_first_of(".eE") != std::string::npos || literal.find_first_of("123456789") == std::string::npos) return;
  const std::string last = view.extents[d].empty() ? fmt::format("{}.shape({})", view.name, d) : view.extents[d];
  throw ScanError(
      fmt::format("the index -{} of {} is negative; indices count from 0, and the last is {} - 1", literal, view.name, last),
      body[first].place);
}

/// Follows "(i, j)", "[i]" and ".row(i)" behind a name.
void check_indices(const BodyTokens& body, std::size_t name, const Operand& operand) {
  std::size_t taken = 0;
  for (std::size_t at = name + 1; at < body.size();) {
    const std::size_t open = body.is(at, ".") && body.is_word(at + 1, "row") ? at + 2 : at;
    std::vector<BodyTokens::Range> indices;
    if (!(body.is(open, "(") || body.is(open, "[")) || !body.split(open, indices)) return;
    if (body.is(open, "[") && indices.size() > 1) throw ScanError(one_index(operand), body[name].place);
    if (operand.form == Operand::Form::pointer) return;
    for (const BodyTokens::Range& index : indices) {
      if (taken < operand.extents.size()) check_index(body, index, operand, taken++);
    }
    at = body.match(open) + 1;
  }
}

}  // namespace

void check_literal_indices(const UserText& text, std::span<const Operand> operands) {
  try {
    const BodyTokens body(text.body);
    if (body.is_opaque() || has_macros(text, body)) return;
    for (const Operand& operand : operands) {
      if (operand.form == Operand::Form::number || body.may_declare(operand.name)) continue;
      for (std::size_t t = 0; t < body.size(); ++t) {
        if (body.is_word(t, operand.name) && !body.is_member(t)) check_indices(body, t, operand);
      }
    }
  } catch (const ScanError& error) {
    throw text_error(text.name, text.body, error);
  }
}

}  // namespace kiln::codegen

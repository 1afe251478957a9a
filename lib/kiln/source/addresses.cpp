#include "source/addresses.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "source/include_directives.hpp"
#include "source/scanner.hpp"

namespace kiln::codegen {
namespace {

using Tokens = std::span<const Token>;

bool is_word(Tokens tokens, std::size_t at) {
  return at < tokens.size() && tokens[at].kind == Token::Kind::identifier;
}

/// Whether the ")" there closes a type: "(T*)", "(T)".
bool ends_cast(Tokens tokens, std::size_t at) {
  if (at < 2) return false;
  if (tokens[at - 1].is("*")) return true;
  if (!is_word(tokens, at - 1) || !tokens[at - 2].is("(")) return false;
  const bool called = at > 2 && (is_word(tokens, at - 3) || tokens[at - 3].is(")") || tokens[at - 3].is("]"));
  return !called;
}

/// Whether the "&" there stands in front of what it takes the address of: not between two values, not behind a type, and not
/// alone in a lambda's brackets.
bool is_address_of(Tokens tokens, std::size_t at) {
  const auto is = [&](std::size_t t, std::string_view mark) { return t < tokens.size() && tokens[t].is(mark); };
  if (is(at + 1, "&") || is(at + 1, "=")) return false;
  if (at == 0) return true;
  const Token& before = tokens[at - 1];
  if (before.kind == Token::Kind::identifier) return before.text == "return" || before.text == "case";
  if (before.kind == Token::Kind::number || before.kind == Token::Kind::character) return false;
  if (before.is("[") && (is(at + 1, "]") || is(at + 1, ","))) return false;
  if (before.is("&")) return at > 1 && tokens[at - 2].is("&");  // behind "&&"
  if (before.is(")")) return ends_cast(tokens, at - 1);
  return std::ranges::none_of(std::array{"]", "}", ">"}, [&](const char* mark) { return before.is(mark); });
}

bool asks_for_addresses(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (tokens[t].kind == Token::Kind::hash && t + 1 < tokens.size() && tokens[t + 1].text == "define") return true;
    if (tokens[t].kind == Token::Kind::identifier && (tokens[t].text == "data" || tokens[t].text == "addressof")) return true;
    if (tokens[t].is("&") && is_address_of(tokens, t)) return true;
  }
  return false;
}

bool has_references(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  const auto is = [&](std::size_t t, std::string_view mark) { return t < tokens.size() && tokens[t].is(mark); };
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (!tokens[t].is("&")) continue;
    const bool doubled = is(t + 1, "&") || is(t + 1, "=") || (t > 0 && is(t - 1, "&"));
    const bool over_a_range =
        t > 0 && is_word(tokens, t - 1) && tokens[t - 1].text == "auto" && is(t + 2, ":") && !is(t + 3, ":");
    if (!doubled && !over_a_range) return true;
  }
  return false;
}

}  // namespace

bool takes_addresses(const UserText& text) {
  const auto& known = embedded_headers();
  return std::ranges::any_of(texts_of(text), [&](const auto& part) {
    const auto& [file, content] = part;
    return asks_for_addresses(content) ||
           std::ranges::any_of(includes_of(file, content), [&](const Include& each) { return !known.contains(each.name); });
  });
}

bool binds_references(const UserText& text) {
  return std::ranges::any_of(texts_of(text), [](const auto& part) { return has_references(part.second); });
}

}  // namespace kiln::codegen

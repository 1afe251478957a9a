#include "source/body_tokens.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>

#include "source/directives.hpp"
#include "source/needed_headers.hpp"

namespace kiln::codegen {
namespace {

// Behind these an expression stands, not a name that is declared.
constexpr std::array<std::string_view, 20> kBeforeExpressions{
    "return", "else",   "do",     "case",  "and",    "or",    "not",      "xor",    "bitand",    "bitor",
    "compl",  "not_eq", "and_eq", "or_eq", "xor_eq", "throw", "co_yield", "sizeof", "co_return", "co_await"};
constexpr std::array<std::string_view, 5> kHeaders{"for", "if", "while", "switch", "catch"};
constexpr std::array<std::string_view, 18> kDeclaring{
    "struct", "class",   "union",    "enum",   "using",      "typedef",  "template",   "requires",      "namespace",
    "goto",   "concept", "decltype", "typeof", "__typeof__", "__typeof", "__decltype", "__attribute__", "alignas"};

bool in(std::span<const std::string_view> words, const Token& token) {
  return token.kind == Token::Kind::identifier && std::ranges::find(words, token.text) != words.end();
}

}  // namespace

BodyTokens::BodyTokens(std::string_view text) {
  const std::vector<Token> all = tokens_of(text);
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (all[t].kind == Token::Kind::hash && t + 1 < all.size() && all[t + 1].text == "pragma") {
      while (t < all.size() && all[t].kind != Token::Kind::newline) ++t;
    } else {
      tokens_.push_back(all[t]);
    }
  }
  std::vector<std::size_t> open;
  for (std::size_t t = 0; t < size(); ++t) {
    match_.push_back(t);
    const bool closes = is(t, ")") || is(t, "]") || is(t, "}");
    if (closes && !open.empty()) {
      match_[t] = open.back();
      match_[open.back()] = t;
      open.pop_back();
    }
    around_.push_back(open.empty() ? kNone : open.back());
    if (is(t, "(") || is(t, "[") || is(t, "{")) open.push_back(t);
  }
}

bool BodyTokens::is_opaque() const {
  return std::ranges::any_of(tokens_,
                             [](const Token& token) { return token.kind == Token::Kind::hash || in(kDeclaring, token); });
}

bool BodyTokens::has(std::string_view word) const {
  return std::ranges::any_of(tokens_,
                             [&](const Token& token) { return token.kind == Token::Kind::identifier && token.text == word; });
}

bool BodyTokens::is_word(std::size_t t, std::string_view word) const {
  return t < size() && tokens_[t].kind == Token::Kind::identifier && tokens_[t].text == word;
}

bool BodyTokens::is_pair(std::size_t t, std::string_view first, std::string_view second) const {
  return is(t, first) && is(t + 1, second) && tokens_[t + 1].offset == tokens_[t].offset + first.size();
}

bool BodyTokens::is_member(std::size_t t) const {
  if (t == 0) return false;
  const bool pack = t > 1 && is(t - 2, ".");
  return (is(t - 1, ".") && !pack) || is(t - 1, "::") || (t > 1 && is_pair(t - 2, "-", ">"));
}

bool BodyTokens::may_declare(std::string_view name) const {
  for (std::size_t t = 0; t < size(); ++t) {
    if (is_word(t, name) && may_declare_at(t)) return true;
  }
  return false;
}

bool BodyTokens::begins_statement(std::size_t t) const {
  return t == 0 || is(t - 1, ";") || is(t - 1, "{") || is(t - 1, "}") || is(t - 1, ")");
}

bool BodyTokens::may_declare_at(std::size_t t) const {
  if (t == 0 || is_member(t)) return false;
  const Token& before = tokens_[t - 1];
  if (before.kind == Token::Kind::identifier) return !in(kBeforeExpressions, before);
  if (is(t - 1, "&") || is(t - 1, "*") || is(t - 1, ">")) return follows_type(t);
  if (is(t - 1, ",")) return follows_comma(t);
  if (is(t - 1, "[")) return is_captured_anew(t, t - 1);
  // "float (x);"
  if (is(t - 1, "(")) {
    return is(t + 1, ")") && t > 1 && tokens_[t - 2].kind == Token::Kind::identifier && !in(kHeaders, tokens_[t - 2]) &&
           begins_statement(t - 2);
  }
  return before.kind == Token::Kind::punctuation && (is(t - 1, "]") || is(t - 1, "."));
}

// Behind "&", "*" or ">": whether what stands in front may be a type, "T* x", and not "a * x".
bool BodyTokens::follows_type(std::size_t t) const {
  std::size_t begin = t;
  for (; begin > 0; --begin) {
    const Token& token = tokens_[begin - 1];
    if (in(kBeforeExpressions, token)) return false;
    if (token.is(">")) return ends_template(begin - 1);
    const bool part = token.kind == Token::Kind::identifier || token.is("*") || token.is("&") || token.is("::");
    if (!part) break;
  }
  const bool named = tokens_[begin].kind == Token::Kind::identifier || is(begin, "::");
  if (begins_statement(begin) || is(begin - 1, "]")) return named;
  const std::size_t stop = begin - 1;
  if (is(stop, ":")) return named && (has("case") || has("default"));
  if (is(stop, "[")) return is_captured_anew(t, stop);
  if (is(stop, ",")) return named && around_[t] != kNone && is(around_[t], "(") ? has_parameters(around_[t]) : follows_comma(t);
  // Parameters, or "float (*x)".
  if (is(stop, "(")) return named ? has_parameters(stop) : stop > 0 && tokens_[stop - 1].kind == Token::Kind::identifier;
  return false;
}

// Whether a ">" may be the end of a template's arguments.
bool BodyTokens::ends_template(std::size_t t) const {
  while (t > 0) {
    --t;
    if (is(t, "<")) return t > 0 && tokens_[t - 1].kind == Token::Kind::identifier;
    if (is(t, ";") || is(t, "(") || is(t, "[") || is(t, "{")) return false;
    if (is(t, ")") || is(t, "]") || is(t, "}")) t = match_[t];
  }
  return false;
}

// Whether a name behind a comma may be declared: "float a, x", "auto [a, x]".
bool BodyTokens::follows_comma(std::size_t t) const {
  const std::size_t open = around_[t];
  if (open == kNone) return true;
  if (is(open, "[")) return is_captured_anew(t, open);
  if (is(open, "{")) return !is_list(open);
  return open > 0 && in(kHeaders, tokens_[open - 1]);
}

// Whether a name in square brackets is that of a structured binding, or of a capture with a value.
bool BodyTokens::is_captured_anew(std::size_t t, std::size_t open) const {
  if (open > 0 && (is_word(open - 1, "auto") || is_word(open - 1, "const") || is(open - 1, "&"))) return true;
  return is(t + 1, "=") || is(t + 1, "{") ||
         (is(t + 1, "(") &&
          !(open > 0 && (is(open - 1, ")") || is(open - 1, "]") || tokens_[open - 1].kind == Token::Kind::identifier)));
}

// Whether a bracket may hold the parameters of a function, or is the header of a loop or a condition.
bool BodyTokens::has_parameters(std::size_t open) const {
  if (open > 0 && (is(open - 1, "]") || in(kHeaders, tokens_[open - 1]))) return true;
  const std::size_t behind = match_[open] + 1;
  return behind < size() && (is(behind, "{") || is_pair(behind, "-", ">") || tokens_[behind].kind == Token::Kind::identifier);
}

// Whether a brace opens a list of values, not a block with a declaration.
bool BodyTokens::is_list(std::size_t open) const {
  for (std::size_t t = open + 1; t < match_[open]; ++t) {
    if (around_[t] == open && is(t, ";")) return false;
  }
  return true;
}

bool BodyTokens::split(std::size_t open, std::vector<Range>& parts) const {
  const std::size_t close = match_[open];
  bool may_be_template = false;
  std::size_t begin = open + 1;
  for (std::size_t t = begin; t < close; ++t) {
    if (is(t, ".") && is(t + 1, ".")) return false;
    may_be_template = may_be_template || is(t, "<");
    if (is(t, "(") || is(t, "[") || is(t, "{")) {
      t = match_[t];
    } else if (is(t, ",")) {
      parts.emplace_back(begin, t);
      begin = t + 1;
    }
  }
  if (close > open + 1) parts.emplace_back(begin, close);
  return parts.size() <= 1 || !may_be_template;
}

bool calls_kilns(const UserText& text, std::string_view name, std::string_view next) {
  const std::array names{name};
  if (!names_any(text.body, names)) return false;
  for (const auto* list : {&text.input_names, &text.output_names}) {
    if (std::ranges::find(*list, name) != list->end()) return false;
  }
  const std::string defines = defines_text(text.defines);
  for (const std::string* part : {&text.functions, &text.preamble, &defines}) {
    if (names_any(*part, names)) return false;
  }
  const BodyTokens body(text.body);
  if (body.may_declare(name)) return false;
  for (std::size_t t = 0; t < body.size(); ++t) {
    if (body.is_word(t, name) && !body.is_member(t) && body.is(t + 1, next)) return true;
  }
  return false;
}

bool takes_element_address(const UserText& text, std::string_view name) {
  if (!names_any(text.body, std::array{name})) return false;
  const BodyTokens body(text.body);
  for (std::size_t t = 1; t < body.size(); ++t) {
    if (!body.is_word(t, name) || body.is_member(t) || !body.is(t - 1, "&") || !body.is(t + 1, "[")) continue;
    const std::size_t around = body.around(t);
    const bool alone = around != BodyTokens::kNone && around > 0 && body[around - 1].text.starts_with("atomic");
    if (!alone) return true;
  }
  return false;
}

bool asks_for_index(const UserText& text) {
  constexpr std::string_view kIndex = "index";
  if (!names_any(text.body, std::array{kIndex})) return false;
  for (const auto* list : {&text.input_names, &text.output_names}) {
    if (std::ranges::find(*list, kIndex) != list->end()) return false;
  }
  const BodyTokens body(text.body);
  for (std::size_t t = 0; t < body.size(); ++t) {
    if (body.is_word(t, kIndex) && !body.is_member(t) && body.is(t + 1, "(") && body.is(t + 2, ")")) return true;
  }
  return false;
}

bool has_macros(const UserText& text, const BodyTokens& body) {
  std::set<std::string> macros = macros_of(defines_text(text.defines));
  for (const std::string* part : {&text.preamble, &text.functions}) {
    if (includes_files(*part)) return true;
    macros.merge(macros_of(*part));
  }
  return std::ranges::any_of(macros, [&](const std::string& macro) { return body.has(macro); });
}

}  // namespace kiln::codegen

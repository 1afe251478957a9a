#include "kernel/gufunc/team_memory.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/error.hpp"
#include "source/directives.hpp"
#include "source/scanner.hpp"

namespace kiln::kinds {

using codegen::ScanError;
using codegen::Token;
using codegen::UserText;

namespace {

constexpr std::int64_t kAlignment = 16;
// As deep as brackets of size rules.
constexpr int kDeepestCount = 64;

constexpr std::array<std::string_view, 4> kRepeats{"for", "while", "do", "else"};
constexpr std::array<std::string_view, 6> kTypeWords{"struct", "class", "union", "enum", "using", "typename"};
constexpr std::array<std::string_view, 8> kNoTypes{"return", "else", "case", "and", "or", "not", "co_return", "throw"};

template <std::size_t N>
bool has_word(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Sums, differences, products and quotients over tokens.
class Count {
 public:
  Count(const std::vector<Token>& tokens, std::size_t at, const NamedSizes& sizes) : tokens_(tokens), at_(at), sizes_(sizes) {}

  std::optional<std::int64_t> sum() {
    std::optional<std::int64_t> value = product();
    while (value && (is("+") || is("-"))) {
      const bool plus = tokens_[at_++].text == "+";
      const std::optional<std::int64_t> next = product();
      std::int64_t result = 0;
      const bool wrong =
          !next || (plus ? __builtin_add_overflow(*value, *next, &result) : __builtin_sub_overflow(*value, *next, &result));
      value = wrong ? std::nullopt : std::optional(result);
    }
    return value;
  }
  [[nodiscard]] std::size_t at() const noexcept { return at_; }
  /// The names that it is of.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  [[nodiscard]] bool is(std::string_view text) const { return at_ < tokens_.size() && tokens_[at_].text == text; }

  std::optional<std::int64_t> product() {
    std::optional<std::int64_t> value = factor();
    while (value && (is("*") || is("/"))) {
      const bool times = tokens_[at_++].text == "*";
      const std::optional<std::int64_t> next = factor();
      std::int64_t result = 0;
      if (!next || (times ? __builtin_mul_overflow(*value, *next, &result) : *next <= 0)) return std::nullopt;
      value = times ? result : *value / *next;
    }
    return value;
  }

  std::optional<std::int64_t> factor() {
    if (at_ >= tokens_.size()) return std::nullopt;
    const Token& token = tokens_[at_++];
    if (token.kind == Token::Kind::identifier) {
      names_.push_back(token.text);
      return sizes_(token.text);
    }
    if (token.kind == Token::Kind::number) {
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
      if (error != std::errc() || end != token.text.data() + token.text.size()) return std::nullopt;
      return value;
    }
    if (token.text != "(" || ++depth_ > kDeepestCount) return std::nullopt;
    const std::optional<std::int64_t> value = sum();
    if (!is(")")) return std::nullopt;
    ++at_;
    --depth_;
    return value;
  }

  const std::vector<Token>& tokens_;
  std::size_t at_;
  const NamedSizes& sizes_;
  std::vector<std::string> names_;
  int depth_ = 0;
};

std::optional<std::int64_t> size_of_type(const UserText& text, const std::string& type) {
  for (const auto& [name, dtype] : text.type_variables) {
    if (name == type) return static_cast<std::int64_t>(itemsize(dtype));
  }
  if (type == "float" || type == "int" || type == "unsigned") return 4;
  if (type == "double" || type == "index") return 8;
  if (type == "char" || type == "bool") return 1;
  try {
    return static_cast<std::int64_t>(itemsize(dtype_from_name(type)));
  } catch (const TypeError&) {
    return std::nullopt;
  }
}

/// Whether what the body uses may share memory where its own text does not say so.
bool shares_elsewhere(const UserText& text, std::string_view defines) {
  constexpr std::array<std::string_view, 1> kShared{"shared"};
  const std::array<std::string_view, 3> parts{text.preamble, text.functions, defines};
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return codegen::includes_files(part) || codegen::names_any(part, kShared); });
}

/// Whether macros or jumps may make something else of what the body says.
bool is_unclear(const UserText& text, std::string_view defines, const std::vector<Token>& body) {
  std::set<std::string> macros = codegen::macros_of(defines);
  macros.merge(codegen::macros_of(text.preamble));
  macros.merge(codegen::macros_of(text.functions));
  return std::any_of(body.begin(), body.end(), [&](const Token& token) {
    return token.kind == Token::Kind::hash || token.text == "goto" || macros.contains(token.text);
  });
}

/// Whether a type of that name may be declared there.
bool declares_type(const std::vector<Token>& tokens, std::string_view name) {
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (tokens[t].text == "typedef" || (t > 0 && tokens[t].text == name && has_word(kTypeWords, tokens[t - 1].text)))
      return true;
  }
  return false;
}

/// Whether the body may declare the name itself, which it cannot assign to.
bool declares_name(const std::vector<Token>& body, std::string_view name) {
  int brackets = 0;
  bool binds = false;  // auto& [m, n] = …
  for (std::size_t t = 0; t < body.size(); ++t) {
    brackets += body[t].is("(") ? 1 : body[t].is(")") ? -1 : 0;
    binds = body[t].text == "auto" || (binds && (body[t].is("&") || body[t].is("[")));
    if (binds && body[t].is("[")) return true;
    if (body[t].kind != Token::Kind::identifier || body[t].text != name) continue;
    const auto next = [&](std::size_t ahead, std::string_view mark) {
      return t + ahead < body.size() && body[t + ahead].is(mark);
    };
    if ((next(1, "=") && !next(2, "=")) || next(1, "{") || next(1, "(")) return true;
    if (t > 0 && body[t - 1].kind == Token::Kind::identifier && !has_word(kNoTypes, body[t - 1].text)) return true;
    if (t > 0 && body[t - 1].is(",") && brackets == 0) return true;
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> team_bytes(const UserText& text, const NamedSizes& sizes) {
  std::vector<Token> tokens;
  std::vector<Token> around;
  try {
    tokens = codegen::tokens_of(text.body);
    around = codegen::tokens_of(text.preamble + "\n" + text.functions);
  } catch (const ScanError&) {
    return std::nullopt;
  }
  const std::string defines = codegen::defines_text(text.defines);
  if (shares_elsewhere(text, defines)) return std::nullopt;
  std::int64_t bytes = 0;
  int braces = 0;
  int brackets = 0;
  bool repeats = false;  // the statement so far
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    braces += token.is("{") ? 1 : token.is("}") ? -1 : 0;
    brackets += token.is("(") ? 1 : token.is(")") ? -1 : 0;
    if (brackets == 0 && (token.is(";") || token.is("{") || token.is("}"))) repeats = false;
    repeats = repeats || has_word(kRepeats, token.text);
    if (token.text != "shared") continue;
    const auto mark = [&](std::size_t ahead, std::string_view m) {
      return i + ahead < tokens.size() && tokens[i + ahead].is(m);
    };
    if (repeats || braces > 0 || !mark(1, "<") || !mark(3, ">") || !mark(4, "(")) return std::nullopt;
    if (bytes == 0 && is_unclear(text, defines, tokens)) return std::nullopt;
    const std::string& type = tokens[i + 2].text;
    const std::optional<std::int64_t> size = size_of_type(text, type);
    if (!size || declares_type(tokens, type) || declares_type(around, type)) return std::nullopt;
    Count count(tokens, i + 5, sizes);
    const std::optional<std::int64_t> value = count.sum();
    if (!value || count.at() >= tokens.size() || !tokens[count.at()].is(")")) return std::nullopt;
    for (const std::string& name : count.names()) {
      if (declares_name(tokens, name)) return std::nullopt;
    }
    if (*value < 0) return value;
    std::int64_t own = 0;
    if (__builtin_mul_overflow(*value, *size, &own) ||
        __builtin_add_overflow(bytes, (own + kAlignment - 1) / kAlignment * kAlignment, &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

}  // namespace kiln::kinds

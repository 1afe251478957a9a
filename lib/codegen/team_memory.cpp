#include "codegen/team_memory.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "codegen/scanner.hpp"

namespace kiln::codegen {
namespace {

constexpr std::int64_t kAlignment = 16;

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
    if (token.kind == Token::Kind::identifier) return sizes_(token.text);
    if (token.kind == Token::Kind::number) {
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
      if (error != std::errc() || end != token.text.data() + token.text.size()) return std::nullopt;
      return value;
    }
    if (token.text != "(") return std::nullopt;
    const std::optional<std::int64_t> value = sum();
    if (!is(")")) return std::nullopt;
    ++at_;
    return value;
  }

  const std::vector<Token>& tokens_;
  std::size_t at_;
  const NamedSizes& sizes_;
};

std::int64_t size_of_type(const UserText& text, const std::string& type) {
  for (const auto& [name, dtype] : text.type_variables) {
    if (name == type) return static_cast<std::int64_t>(itemsize(dtype));
  }
  if (type == "float" || type == "int" || type == "unsigned") return 4;
  if (type == "double" || type == "index") return 8;
  if (type == "char" || type == "bool") return 1;
  try {
    return static_cast<std::int64_t>(itemsize(dtype_from_name(type)));
  } catch (const std::exception&) {
    return kAlignment;  // the largest that there is
  }
}

}  // namespace

std::optional<std::int64_t> team_bytes(const UserText& text, const NamedSizes& sizes) {
  std::vector<Token> tokens;
  try {
    Scanner scanner(text.body);
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) tokens.push_back(token);
  } catch (const ScanError&) {
    return std::nullopt;
  }
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
    if (tokens[i].text != "shared" || tokens[i + 1].text != "<") continue;
    if (tokens[i + 3].text != ">" || tokens[i + 4].text != "(") return std::nullopt;
    Count count(tokens, i + 5, sizes);
    const std::optional<std::int64_t> value = count.sum();
    if (!value || *value < 0 || count.at() >= tokens.size() || tokens[count.at()].text != ")") return std::nullopt;
    std::int64_t own = 0;
    if (__builtin_mul_overflow(*value, size_of_type(text, tokens[i + 2].text), &own) ||
        __builtin_add_overflow(bytes, (own + kAlignment - 1) / kAlignment * kAlignment, &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

}  // namespace kiln::codegen

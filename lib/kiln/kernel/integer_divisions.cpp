#include "kernel/integer_divisions.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "source/scanner.hpp"

namespace kiln::kinds {

using codegen::ScanError;
using codegen::Scanner;
using codegen::Token;
using codegen::UserText;

namespace {

constexpr std::string_view kDivisionTag = "%kiln_by";
constexpr std::string_view kAssignmentTag = "%=kiln_by";

/// Consecutive tokens, with the texts that they are of.
class TextTokens {
 public:
  /// Throws ScanError.
  void read(const std::string& file, std::string_view text) {
    file_ = &file;
    Scanner scanner(text);
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      if (token.kind == Token::Kind::hash) {
        directive(scanner);
      } else {
        add(std::move(token));
      }
    }
    separate();
  }

  /// The definitions of macros that are for the compiler alone.
  void read_macros() {
    if (includes_) return;
    for (std::size_t seen = 0; seen != conditions_.size();) {
      seen = conditions_.size();
      for (const auto& [name, macro] : macros_) {
        if (!conditions_.contains(name)) continue;
        for (const auto& [token, file] : macro) conditions_.insert(token.text);
      }
    }
    for (auto& [name, macro] : macros_) {
      if (conditions_.contains(name)) continue;
      for (auto& [token, file] : macro) {
        tokens_.push_back(std::move(token));
        files_.push_back(file);
      }
      separate();
    }
  }

  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }
  [[nodiscard]] const std::string& file_of(std::size_t t) const { return *files_[t]; }

 private:
  void add(Token token) {
    tokens_.push_back(std::move(token));
    files_.push_back(file_);
  }
  void separate() {
    Token token;
    token.kind = Token::Kind::punctuation;
    token.text = ";";
    add(std::move(token));
  }

  void directive(Scanner& scanner) {
    const std::string word = scanner.next().text;
    includes_ = includes_ || word == "include";
    Token token = word == "include" ? scanner.next_header_name() : scanner.next();
    const std::string name = token.text;
    for (; token.kind != Token::Kind::newline && token.kind != Token::Kind::end; token = scanner.next()) {
      if (word == "define") macros_[name].emplace_back(token, file_);
      if (word == "if" || word == "elif") conditions_.insert(token.text);
    }
  }

  const std::string* file_ = nullptr;
  std::vector<Token> tokens_;
  std::vector<const std::string*> files_;
  std::map<std::string, std::vector<std::pair<Token, const std::string*>>> macros_;
  std::set<std::string> conditions_;  ///< words of #if
  bool includes_ = false;
};

/// Whether a number is an integer other than 0. Not of the user's own literals.
bool is_integer_other_than_0(std::string_view number) {
  const bool hex = number.starts_with("0x") || number.starts_with("0X");
  const bool prefixed = hex || number.starts_with("0b") || number.starts_with("0B");
  const std::string_view digits = number.substr(prefixed ? 2 : 0);
  const std::size_t end = std::min(digits.find_first_not_of(hex ? "0123456789abcdefABCDEF'" : "0123456789'"), digits.size());
  return digits.substr(0, end).find_first_not_of("0'") != std::string_view::npos &&
         digits.find_first_not_of("uUlLzZ", end) == std::string_view::npos;
}

bool is_floating(std::string_view number) {
  if (number.starts_with("0x") || number.starts_with("0X")) return number.find_first_of("pP") != std::string_view::npos;
  return number.find_first_of(".eE") != std::string_view::npos;
}

/// The divisions among the tokens of a definition.
class Divisions {
 public:
  explicit Divisions(const std::vector<Token>& tokens)
      : tokens_(tokens), wide_(std::ranges::any_of(tokens, [](const Token& token) {
          return token.text == "__int128" || token.text == "__int128_t" || token.text == "__uint128_t";
        })) {}

  /// Whether the token at t divides, and has the form that a template can take.
  [[nodiscard]] bool is_division(std::size_t t) const {
    if (!is(t, "/") && !is(t, "%")) return false;
    if (t > 0 && tokens_[t - 1].text == "operator") return false;
    // "%:" is no division.
    if (t + 1 < tokens_.size() && tokens_[t + 1].text[0] == ':' && tokens_[t + 1].offset == tokens_[t].offset + 1) return false;
    // A list in braces has no type.
    return !(assigns(t) && is(t + 2, "{"));
  }
  [[nodiscard]] bool assigns(std::size_t t) const { return is(t + 1, "="); }

  /// Whether a literal beside the division at t says that it is defined, or of no integers. Compilers divide an __int128 by no
  /// literal.
  [[nodiscard]] bool is_decided(std::size_t t) const {
    const std::size_t divisor = assigns(t) ? t + 2 : t + 1;
    if (is_number(divisor) &&
        ((!wide_ && is_integer_other_than_0(tokens_[divisor].text)) || is_floating(tokens_[divisor].text))) {
      return true;
    }
    const bool cast = t > 1 && is(t - 2, ")");
    return t > 0 && is_number(t - 1) && !cast && is_floating(tokens_[t - 1].text);
  }

 private:
  [[nodiscard]] bool is(std::size_t t, std::string_view text) const { return t < tokens_.size() && tokens_[t].is(text); }
  [[nodiscard]] bool is_number(std::size_t t) const { return t < tokens_.size() && tokens_[t].kind == Token::Kind::number; }

  const std::vector<Token>& tokens_;
  bool wide_;
};

}  // namespace

IntegerDivisions::IntegerDivisions(const UserText& text) : with_columns_(text.debug.any()) {
  const auto texts = codegen::texts_of(text);
  TextTokens read;
  try {
    for (const auto& [file, content] : texts) read.read(file, content);
  } catch (const ScanError&) {
    return;  // check_text refuses such a text; whoever renders it nevertheless lets the compiler say so
  }
  read.read_macros();
  const std::vector<Token>& tokens = read.tokens();
  const Divisions divisions(tokens);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (!divisions.is_division(t) || divisions.is_decided(t)) continue;
    assign_ = assign_ || divisions.assigns(t);
    insertions_[read.file_of(t)][tokens[t].offset] = divisions.assigns(t) ? kAssignmentTag : kDivisionTag;
  }
}

std::string IntegerDivisions::defined(const std::string& file, std::string_view text) const {
  const auto found = insertions_.find(file);
  if (found == insertions_.end()) return std::string(text);
  std::string out;
  std::size_t begin = 0;
  for (const auto& [offset, inserted] : found->second) {
    out += text.substr(begin, offset - begin);
    const std::size_t newline = out.rfind('\n');  // none: npos, and one behind it is 0
    const std::size_t column = out.size() - (newline + 1) + 1;
    out += inserted;
    if (with_columns_) out += '(' + std::to_string(column) + ')';
    begin = offset;
  }
  out += text.substr(begin);
  return out;
}

Diagnostic as_written(Diagnostic found) {
  for (const std::string_view tag : {kAssignmentTag, kDivisionTag}) {
    for (std::size_t at = found.source_line.find(tag); at != std::string::npos; at = found.source_line.find(tag, at)) {
      std::size_t end = at + tag.size();
      if (found.source_line.substr(end, 1) == "(") end = found.source_line.find(')', end) + 1;  // of debug mode
      found.source_line.erase(at, end - at);
      const auto begin = static_cast<int>(at) + 1;
      if (found.column > begin) found.column = std::max(begin, found.column - static_cast<int>(end - at));
    }
  }
  return found;
}

}  // namespace kiln::kinds

#include "source/include_directives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "source/text_error.hpp"

namespace kiln::codegen {
namespace {

// The directive of an assembler that reads a file, in a string literal: ".incbin" or ".include"; "" where there is none.
// Directives have no case, and what stands before one may be an escape: "\\n.incbin".
std::string_view file_directive(std::string_view literal) {
  static constexpr std::array<std::string_view, 2> kDirectives{".incbin", ".include"};
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  const auto in_word = [](char c) { return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_'; };
  for (const std::string_view directive : kDirectives) {
    auto at = literal.begin();
    while ((at = std::search(at, literal.end(), directive.begin(), directive.end(), same)) != literal.end()) {
      at += static_cast<std::ptrdiff_t>(directive.size());
      if (at == literal.end() || !in_word(*at)) return directive;
    }
  }
  return {};
}

// What a header name that was just read says.
Include named(const Token& token, const Scanner& scanner) {
  return {.name = token.text.substr(1, token.text.size() - 2),
          .place = token.place,
          .angled = token.text[0] == '<',
          .begin = token.offset,
          .end = scanner.offset()};
}

// The name in `__has_include("a.h")`, from what follows the first word; nothing where that is none, as in `#ifdef
// __has_include`. What the compiler would say may depend on files that the key does not hold, so that the header has to be one
// of the kernel's.
std::optional<Include> asked_include(Scanner& scanner, Token& token) {
  const Token word = token;
  token = scanner.next();
  if (token.text != "(") return std::nullopt;
  if (word.text != "__has_include") {
    throw ScanError(word.text + " is not supported: what it says would depend on files that are not in the cache's key",
                    word.place);
  }
  const Token name = scanner.next_header_name();
  if (name.kind != Token::Kind::string || name.text.size() < 3) {
    throw ScanError("a computed __has_include cannot be followed; write the name of the file in quotes or angle brackets",
                    name.place);
  }
  Include found = named(name, scanner);
  found.asked = true;
  token = scanner.next();
  return found;
}

bool asks_for_files(const Token& token) {
  return token.kind == Token::Kind::identifier &&
         (token.text == "__has_include" || token.text == "__has_include_next" || token.text == "__has_embed");
}

void check_token(const Token& token) {
  if (token.kind == Token::Kind::identifier &&
      (token.text == "__DATE__" || token.text == "__TIME__" || token.text == "__TIMESTAMP__")) {
    throw ScanError(token.text + " may not be used: the kernel would differ at every compile and could not be cached",
                    token.place);
  }
  if (token.kind != Token::Kind::string) return;
  if (const std::string_view directive = file_directive(token.text); !directive.empty()) {
    throw ScanError(fmt::format("the assembler's {} may not be used: the file that it reads would not be in the cache's key; "
                                "write its bytes as an array",
                                directive),
                    token.place);
  }
}

// The #if groups around a place.
class Groups {
 public:
  /// A directive, with the name behind #ifndef and #define.
  void add(std::string_view word, std::string_view name, bool begins_text) {
    const bool defines_guard = word == "define" && !guard_.empty() && name == guard_;
    guard_.clear();
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      may_be_left_out_.push_back(true);
      if (word == "ifndef" && begins_text) guard_ = name;
    } else if (defines_guard || word == "else" || word.starts_with("elif")) {
      if (!may_be_left_out_.empty()) may_be_left_out_.back() = !defines_guard;
    } else if (word == "endif" && !may_be_left_out_.empty()) {
      may_be_left_out_.pop_back();
    }
  }
  [[nodiscard]] bool may_be_left_out() const { return std::ranges::find(may_be_left_out_, true) != may_be_left_out_.end(); }

 private:
  std::vector<bool> may_be_left_out_;
  std::string guard_;  ///< the name of an #ifndef that the text begins with, until the next directive
};

// After the #: its #include, if it is one. The next token is `token`.
std::optional<Include> directive_include(Scanner& scanner, Token& token, Groups& groups, bool begins_text) {
  token = scanner.next();
  const std::string word = token.text;
  if (token.text == "include_next" || token.text == "import" || token.text == "embed") {
    throw ScanError("#" + token.text + " is not supported; name the file with #include", token.place);
  }
  if (token.text == "define") {
    // `#define __has_include(x) 0` is for compilers that have none.
    token = scanner.next();
    groups.add(word, token.text, begins_text);
    if (asks_for_files(token)) token = scanner.next();
    return std::nullopt;
  }
  if (word == "ifndef") {
    token = scanner.next();
    groups.add(word, token.text, begins_text);
    return std::nullopt;
  }
  groups.add(word, "", begins_text);
  if (word != "include") return std::nullopt;
  const Token name = scanner.next_header_name();
  if (name.kind != Token::Kind::string || name.text.size() < 3) {
    throw ScanError("a computed #include cannot be followed; write the name of the file in quotes or angle brackets",
                    name.place);
  }
  Include found = named(name, scanner);
  token = scanner.next();
  return found;
}

}  // namespace

std::string absent_header(std::string_view name) {
  std::string absent(kNoHeader);
  absent += '/';
  for (const char c : name) absent += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return absent;
}

std::vector<Include> includes_of(const std::string& file, const std::string& text) {
  std::vector<Include> found;
  try {
    Scanner scanner(text);
    Groups groups;
    bool begins_text = true;
    Token token = scanner.next();
    while (token.kind != Token::Kind::end) {
      check_token(token);
      std::optional<Include> include;
      if (token.kind == Token::Kind::hash) {
        include = directive_include(scanner, token, groups, begins_text);
      } else if (asks_for_files(token)) {
        include = asked_include(scanner, token);
      } else {
        token = scanner.next();
      }
      begins_text = false;
      if (!include) continue;
      include->conditional = groups.may_be_left_out();
      found.push_back(*std::move(include));
    }
  } catch (const ScanError& error) {
    throw text_error(file, text, error);
  }
  return found;
}

}  // namespace kiln::codegen

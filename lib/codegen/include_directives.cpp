#include "codegen/include_directives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "codegen/text_error.hpp"

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

// After the #: its #include, if it is one. The next token is `token`.
std::optional<Include> directive_include(Scanner& scanner, Token& token) {
  token = scanner.next();
  if (token.text == "include_next" || token.text == "import" || token.text == "embed") {
    throw ScanError("#" + token.text + " is not supported; name the file with #include", token.place);
  }
  if (token.text == "define") {
    // `#define __has_include(x) 0` is for compilers that have none.
    token = scanner.next();
    if (asks_for_files(token)) token = scanner.next();
    return std::nullopt;
  }
  if (token.text != "include") return std::nullopt;
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

std::vector<Include> includes_of(const std::string& file, const std::string& text) {
  std::vector<Include> found;
  try {
    Scanner scanner(text);
    Token token = scanner.next();
    while (token.kind != Token::Kind::end) {
      check_token(token);
      std::optional<Include> include;
      if (token.kind == Token::Kind::hash) {
        include = directive_include(scanner, token);
      } else if (asks_for_files(token)) {
        include = asked_include(scanner, token);
      } else {
        token = scanner.next();
      }
      if (include) found.push_back(*std::move(include));
    }
  } catch (const ScanError& error) {
    throw text_error(file, text, error);
  }
  return found;
}

}  // namespace kiln::codegen

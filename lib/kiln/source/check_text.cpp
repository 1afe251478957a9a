// Whether a text of the user's stays within its place in the translation unit: everything it opens, it closes.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "source/directives.hpp"
#include "source/scanner.hpp"
#include "source/text_error.hpp"
#include "source/user_text.hpp"

namespace kiln::codegen {
namespace {

char closing(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

void check_characters(const std::string& text) {
  Place place;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool line_end = c == '\n' || (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
    if ((c < 0x20 && c != '\t' && !line_end) || c == 0x7f) {
      throw ScanError(fmt::format("the control character 0x{:02x} may not stand in a kernel's text; remove it", c), place);
    }
    if (c == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
  }
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last != std::string::npos && text[last] == '\\') {
    place = {};
    for (std::size_t i = 0; i < last; ++i) {
      place.line += text[i] == '\n' ? 1 : 0;
      place.column = text[i] == '\n' ? 1 : place.column + 1;
    }
    throw ScanError("the text ends in a backslash, which would join it with what follows; remove it", place);
  }
}

// Brackets that are open, and the #if groups around them. Each branch of a group and each directive is balanced by itself, so
// that the preprocessor's choice cannot unbalance the text.
class Balance {
 public:
  void open(const Token& token) { open_.push_back({token.text[0], token.place}); }

  void close(const Token& token) {
    if (open_.size() <= floor()) {
      throw ScanError(fmt::format("'{}' closes nothing that was opened {}; remove it, or open it with '{}'", token.text,
                                  levels_.empty() ? "in this text" : "in the same preprocessor branch or directive",
                                  token.text == ")"   ? '('
                                  : token.text == "]" ? '['
                                                      : '{'),
                      token.place);
    }
    const Bracket& top = open_.back();
    if (closing(top.character) != token.text[0]) {
      throw ScanError(fmt::format("'{}' does not match the '{}' opened at {}:{}; expected '{}'", token.text, top.character,
                                  top.place.line, top.place.column, closing(top.character)),
                      token.place);
    }
    open_.pop_back();
  }

  void begin_level(Place place) { levels_.push_back({open_.size(), place}); }
  void end_level() { levels_.pop_back(); }
  [[nodiscard]] bool in_level() const { return !levels_.empty(); }

  // Everything opened since the level began is closed.
  void expect_closed() const {
    if (open_.size() > floor()) {
      const Bracket& top = open_.back();
      throw ScanError(fmt::format("'{}' is never closed{}; add '{}'", top.character,
                                  levels_.empty() ? "" : " in its preprocessor branch or directive", closing(top.character)),
                      top.place);
    }
  }
  [[nodiscard]] std::size_t depth() const { return open_.size(); }
  [[nodiscard]] Place level_place() const { return levels_.back().place; }

 private:
  struct Bracket {
    char character;
    Place place;
  };
  struct Level {
    std::size_t floor;
    Place place;
  };
  [[nodiscard]] std::size_t floor() const { return levels_.empty() ? 0 : levels_.back().floor; }
  std::vector<Bracket> open_;
  std::vector<Level> levels_;
};

bool is_bracket(const Token& token, std::string_view set) {
  return token.kind == Token::Kind::punctuation && token.text.size() == 1 && set.find(token.text[0]) != std::string_view::npos;
}

void check_word(const Token& token) {
  for (const std::string_view word : {"__DATE__", "__TIME__", "__TIMESTAMP__"}) {
    if (token.text == word) {
      throw ScanError(fmt::format("{} may not be used: the kernel would differ at every compile and could not be cached", word),
                      token.place);
    }
  }
}

void check(const std::string& text, bool expression) {
  check_characters(text);
  Scanner scanner(text);
  Balance balance;
  const auto brackets = [&](const Token& token) {
    if (is_bracket(token, "([{")) {
      balance.open(token);
    } else if (is_bracket(token, ")]}")) {
      balance.close(token);
    }
  };
  bool empty = true;
  for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
    empty = false;
    if (token.kind == Token::Kind::identifier) {
      check_word(token);
    }
    if (token.kind != Token::Kind::hash) {
      brackets(token);
      if (expression && balance.depth() == 0 && token.kind == Token::Kind::punctuation && token.text == ";") {
        throw ScanError("an expression has no ';'; remove it, or write the body in braces with a return", token.place);
      }
      continue;
    }
    if (expression) {
      throw ScanError("an expression has no preprocessor directive; put it in the preamble", token.place);
    }
    const Place hash = token.place;
    token = scanner.next();
    const std::string directive = token.text;
    if (directive == "if" || directive == "ifdef" || directive == "ifndef") {
      balance.begin_level(hash);
    } else if (directive == "elif" || directive == "else" || directive == "elifdef" || directive == "elifndef" ||
               directive == "endif") {
      if (!balance.in_level()) {
        throw ScanError(fmt::format("#{} without an #if in this text", directive), hash);
      }
      balance.expect_closed();
      if (directive == "endif") {
        balance.end_level();
      }
    }
    balance.begin_level(hash);
    while (token.kind != Token::Kind::newline && token.kind != Token::Kind::end) {
      if (token.kind == Token::Kind::identifier) {
        check_word(token);
      }
      brackets(token);
      token = directive == "include" ? scanner.next_header_name() : scanner.next();
    }
    balance.expect_closed();
    balance.end_level();
    if (token.kind == Token::Kind::end) {
      break;
    }
  }
  if (balance.in_level()) {
    throw ScanError("#if is never closed; add #endif", balance.level_place());
  }
  balance.expect_closed();
  if (expression && empty) {
    throw ScanError("the expression is empty", {});
  }
}

}  // namespace

void check_text(const std::string& file, const std::string& text) {
  try {
    check(text, false);
  } catch (const ScanError& error) {
    throw text_error(file, text, error);
  }
}

void check_expression(const std::string& file, const std::string& text) {
  try {
    check(text, true);
  } catch (const ScanError& error) {
    throw text_error(file, text, error);
  }
}

std::vector<std::pair<std::string, std::string>> texts_of(const UserText& text) {
  std::vector<std::pair<std::string, std::string>> texts;
  const auto add = [&](const char* part, const std::string& content) {
    if (!content.empty()) texts.emplace_back(text.name + part, content);
  };
  add(".defines", defines_text(text.defines));
  add(".preamble", text.preamble);
  add(".functions", text.functions);
  if (text.stages) {
    const Stages::Files files = text.stages->files();
    add(files.accumulator, text.stages->accumulator.empty() ? text.stages->type : text.stages->accumulator);
    add(files.map, text.stages->map);
    add(files.post, text.stages->post);
  }
  if (text.cupy) {
    add(".loop_prep", text.cupy->loop_prep);
    add(".after_loop", text.cupy->after_loop);
  }
  add(".identity", text.identity);
  add(text.stages ? text.stages->files().reduce : "", text.body);
  return texts;
}

}  // namespace kiln::codegen

// The words of a PTX text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "emulator/program.hpp"

namespace kiln::emulator {

struct Token {
  enum class Kind { end, word, number, string, punctuation };
  Kind kind = Kind::end;
  std::string_view text;  ///< of a string without its quotes
  int line = 1;
};

/// Words hold dots ("ld.global.f32", ".reg", "%tid.x"), '$', '%' and '_'.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { next(); }

  [[nodiscard]] const Token& peek() const noexcept { return token_; }
  /// PtxError at the end of the text.
  Token take() {
    if (token_.kind == Token::Kind::end) fail("something is missing");
    const Token token = token_;
    next();
    return token;
  }
  [[nodiscard]] bool at(std::string_view punctuation) const noexcept {
    return token_.kind == Token::Kind::punctuation && token_.text == punctuation;
  }
  bool skip(std::string_view punctuation) {
    if (!at(punctuation)) return false;
    next();
    return true;
  }
  void expect(std::string_view punctuation);
  [[nodiscard]] std::string_view word();
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void next();
  void skip_space();

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  Token token_;
};

}  // namespace kiln::emulator

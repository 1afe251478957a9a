// The words of a PTX text.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/ptx/module.hpp"

namespace kiln::emulator {

struct Token {
  enum class Kind { end, word, number, string, punctuation };
  Kind kind = Kind::end;
  std::string_view text;  ///< of a string without its quotes
  int line = 1;
};

/// The number that all of a text is, in a base where one is given.
template <class T, class... Base>
[[nodiscard]] std::optional<T> number_in(std::string_view text, Base... base) noexcept {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

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
  /// All up to the punctuation, and that.
  void skip_past(std::string_view punctuation) {
    while (!skip(punctuation)) take();
  }
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

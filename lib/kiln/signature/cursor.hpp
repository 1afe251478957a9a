// A place in a text that is being parsed. Knows how to skip blanks, read names and complain.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kiln::signature {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(position_); }
  [[nodiscard]] bool at_end() const noexcept { return position_ == text_.size(); }
  [[nodiscard]] char peek() const noexcept { return at_end() ? '\0' : text_[position_]; }
  void advance(std::size_t count) noexcept { position_ += count; }

  void skip_blanks() noexcept {
    while (!at_end() && is_blank(text_[position_])) ++position_;
  }
  /// Skips blanks, then the character if it is there.
  bool accept(char wanted) noexcept {
    skip_blanks();
    if (at_end() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }
  void expect(char wanted, const char* where) {
    if (!accept(wanted)) fail(std::string("expected '") + wanted + "' " + where + found());
  }
  /// Skips blanks and reads [A-Za-z_][A-Za-z0-9_]*; empty where there is none.
  std::string_view name() noexcept {
    skip_blanks();
    std::size_t end = position_;
    if (end < text_.size() && is_letter(text_[end])) {
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    }
    const std::string_view read = text_.substr(position_, end - position_);
    position_ = end;
    return read;
  }
  /// ", found 'x'" with the whole of a UTF-8 character, other bytes and control characters as '\xc3'; or ", found the end of
  /// the text".
  [[nodiscard]] std::string found() const;
  [[noreturn]] void fail(const std::string& message) const { fail_at(position_, message); }
  [[noreturn]] void fail_at(std::size_t position, const std::string& message) const;

 private:
  static bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  std::string_view text_;
  std::size_t position_ = 0;
};

/// Throws SignatureError where a name stands behind the result's type, as in "float64 f(float64 x)": the begin of a definition
/// whose body is in the same text.
void refuse_name(Cursor& cursor);

}  // namespace kiln::signature

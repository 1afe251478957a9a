#include "emulator/ptx/lexer.hpp"

#include <algorithm>

namespace kiln::emulator {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

}  // namespace

void Lexer::fail(const std::string& what) const {
  const std::string found =
      token_.kind == Token::Kind::end ? "the end of the text" : '"' + std::string(token_.text.substr(0, 60)) + '"';
  throw PtxError("line " + std::to_string(token_.line) + " of the PTX: " + what + ", found " + found);
}

void Lexer::expect(std::string_view punctuation) {
  if (!skip(punctuation)) fail("expected '" + std::string(punctuation) + "'");
}

std::string_view Lexer::word() {
  if (token_.kind != Token::Kind::word) fail("expected a name");
  return take().text;
}

void Lexer::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') ++line_;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size() - 2);
      for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
    } else {
      return;
    }
  }
}

void Lexer::next() {
  skip_space();
  token_.line = line_;
  if (at_ >= text_.size() || text_[at_] == '\0') {
    token_ = {Token::Kind::end, {}, line_};
    return;
  }
  const std::size_t begin = at_;
  const char c = text_[at_];
  if (c == '"') {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) fail("a string does not end");
    token_ = {Token::Kind::string, text_.substr(at_ + 1, end - at_ - 1), line_};
    for (; at_ <= end; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
    return;
  }
  const bool dotted = c == '.' && at_ + 1 < text_.size() && is_letter(text_[at_ + 1]);
  if (is_letter(c) || dotted) {
    ++at_;
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.' || text_.substr(at_, 2) == "::")) {
      at_ += text_[at_] == ':' ? 2U : 1U;
    }
    token_ = {Token::Kind::word, text_.substr(begin, at_ - begin), line_};
    return;
  }
  if (is_digit(c)) {
    // With exponents ("1.5e-3") and the suffix U.
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    token_ = {Token::Kind::number, text_.substr(begin, at_ - begin), line_};
    return;
  }
  ++at_;
  token_ = {Token::Kind::punctuation, text_.substr(begin, 1), line_};
}

}  // namespace kiln::emulator

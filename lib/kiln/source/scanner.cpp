// Tokens by the phases of translation: line splices vanish everywhere but in raw strings, comments count as blanks.
#include "source/scanner.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kiln::codegen {
namespace {

bool starts_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool continues_identifier(char c) {
  return starts_identifier(c) || is_digit(c);
}
bool ends_raw_prefix(std::string_view prefix) {
  static constexpr std::array<std::string_view, 5> kRaw{"R", "LR", "uR", "UR", "u8R"};
  return std::find(kRaw.begin(), kRaw.end(), prefix) != kRaw.end();
}
bool is_encoding_prefix(std::string_view prefix) {
  return prefix == "L" || prefix == "u" || prefix == "U" || prefix == "u8";
}

// The length of the splice at a backslash: it, blanks (which compilers let pass) and a newline. 0 if it is none.
std::size_t splice_length(std::string_view text) {
  if (text.empty() || text[0] != '\\') {
    return 0;
  }
  std::size_t n = 1;
  while (n < text.size() && (text[n] == ' ' || text[n] == '\t' || text[n] == '\r')) {
    ++n;
  }
  return n < text.size() && text[n] == '\n' ? n + 1 : 0;
}

}  // namespace

std::string_view line_of(std::string_view text, Place place) {
  std::size_t begin = 0;
  for (int line = 1; line < place.line && begin < text.size(); ++line) {
    const std::size_t newline = text.find('\n', begin);
    begin = newline == std::string_view::npos ? text.size() : newline + 1;
  }
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  if (!line.empty() && line.back() == '\r') {
    line.remove_suffix(1);
  }
  return line;
}

void Scanner::advance_raw() {
  if (text_[at_++] == '\n') {
    ++place_.line;
    place_.column = 1;
  } else {
    ++place_.column;
  }
}

void Scanner::skip_splices() {
  for (std::size_t n = splice_length(text_.substr(at_)); n != 0; n = splice_length(text_.substr(at_))) {
    for (; n != 0; --n) {
      advance_raw();
    }
  }
}

// The character `ahead` places on, splices left out; 0 at the end (a text with a real 0 is refused before).
char Scanner::peek(std::size_t ahead) {
  skip_splices();
  std::size_t i = at_;
  for (; ahead != 0 && i < text_.size(); --ahead) {
    ++i;
    for (std::size_t n = splice_length(text_.substr(i)); n != 0; n = splice_length(text_.substr(i))) {
      i += n;
    }
  }
  return i < text_.size() ? text_[i] : '\0';
}

char Scanner::take() {
  skip_splices();
  const char c = text_[at_];
  advance_raw();
  return c;
}

// Skips blanks and comments; stops at a newline. Whether it moved.
bool Scanner::skip_blank() {
  const char c = peek();
  if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
    take();
    return true;
  }
  if (c == '/' && peek(1) == '/') {
    while (peek() != '\n' && at_ < text_.size()) {
      take();
    }
    return true;
  }
  if (c == '/' && peek(1) == '*') {
    const Place begin = place_;
    take();
    take();
    while (!(peek() == '*' && peek(1) == '/')) {
      if (at_ >= text_.size()) {
        throw ScanError("a comment that begins here does not end; close it with */", begin);
      }
      take();
    }
    take();
    take();
    return true;
  }
  return false;
}

// Blanks and comments, and outside of directives the ends of lines.
void Scanner::skip_to_token() {
  while (true) {
    if (skip_blank()) continue;
    if (directive_ || at_ >= text_.size() || peek() != '\n') return;
    take();
    line_start_ = true;
  }
}

void Scanner::quoted(Token& token, char quote) {
  token.kind = quote == '"' ? Token::Kind::string : Token::Kind::character;
  token.text += take();
  while (true) {
    const char c = peek();
    if (at_ >= text_.size() || c == '\n') {
      throw ScanError(quote == '"' ? "a string that begins here does not end on its line; close it with \""
                                   : "a character literal that begins here does not end on its line; close it with '",
                      token.place);
    }
    token.text += take();
    if (c == quote) {
      return;
    }
    if (c == '\\' && at_ < text_.size() && peek() != '\n') {
      token.text += take();
    }
  }
}

void Scanner::raw_string(Token& token) {
  token.kind = Token::Kind::string;
  const std::size_t begin = at_ + 1;
  const std::size_t open = text_.find('(', begin);
  const std::size_t end = open == std::string_view::npos || open - begin > 16
                              ? std::string_view::npos
                              : text_.find(")" + std::string(text_.substr(begin, open - begin)) + "\"", open);
  if (end == std::string_view::npos) {
    throw ScanError("a raw string that begins here does not end", token.place);
  }
  const std::size_t stop = end + 1 + (open - begin) + 1;
  token.text += text_.substr(at_, stop - at_);
  while (at_ < stop) {
    advance_raw();
  }
}

Token Scanner::next() {
  skip_to_token();
  Token token;
  const char c = peek();
  token.place = place_;
  token.offset = at_;
  if (at_ >= text_.size()) {
    return token;
  }
  if (c == '\n') {
    take();
    line_start_ = true;
    directive_ = false;
    token.kind = Token::Kind::newline;
    return token;
  }
  const bool first = line_start_;
  line_start_ = false;
  if (first && (c == '#' || (c == '%' && peek(1) == ':'))) {
    take();
    if (c == '%') {
      take();
    }
    directive_ = true;
    token.kind = Token::Kind::hash;
    token.text = "#";
    return token;
  }
  if (starts_identifier(c)) {
    token.kind = Token::Kind::identifier;
    while (continues_identifier(peek())) {
      token.text += take();
    }
    if (peek() == '"' && ends_raw_prefix(token.text)) {
      raw_string(token);
    } else if ((peek() == '"' || peek() == '\'') && is_encoding_prefix(token.text)) {
      quoted(token, peek());
    }
    return token;
  }
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    // A preprocessing number: 1'000, 0x1p-3, 1e+5f.
    token.kind = Token::Kind::number;
    while (true) {
      const char d = peek();
      const char last = token.text.empty() ? '\0' : token.text.back();
      const bool sign = (d == '+' || d == '-') && (last == 'e' || last == 'E' || last == 'p' || last == 'P');
      const bool separator = d == '\'' && continues_identifier(peek(1));
      if (!continues_identifier(d) && d != '.' && !sign && !separator) {
        return token;
      }
      token.text += take();
    }
  }
  if (c == '"' || c == '\'') {
    quoted(token, c);
    return token;
  }
  token.kind = Token::Kind::punctuation;
  token.text = take();
  // Digraphs of brackets; <:: is < and :: unless : or > follows.
  const char d = peek();
  if (c == '<' && d == '%') {
    take();
    token.text = "{";
  } else if (c == '%' && d == '>') {
    take();
    token.text = "}";
  } else if (c == ':' && d == '>') {
    take();
    token.text = "]";
  } else if (c == '<' && d == ':' && !(peek(1) == ':' && peek(2) != ':' && peek(2) != '>')) {
    take();
    token.text = "[";
  } else if (c == ':' && d == ':') {
    take();
    token.text = "::";
  }
  return token;
}

Token Scanner::next_header_name() {
  while (skip_blank()) {
  }
  const char c = peek();
  if (c != '<' && c != '"') {
    return next();
  }
  Token token;
  token.place = place_;
  token.offset = at_;
  token.kind = Token::Kind::string;
  const char close = c == '<' ? '>' : '"';
  do {
    token.text += take();
    if (at_ >= text_.size() || peek() == '\n') {
      throw ScanError("a header name that begins here does not end on its line", token.place);
    }
  } while (peek() != close);
  token.text += take();
  return token;
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  Scanner scanner(text);
  for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) tokens.push_back(std::move(token));
  return tokens;
}

}  // namespace kiln::codegen

// Splits C++ text into preprocessing tokens, with places: enough to match brackets, find #includes and see which names are
// used. It expands nothing.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::codegen {

/// A place in a text; line and column from 1, columns in bytes.
struct Place {
  int line = 1;
  int column = 1;
};

struct Token {
  enum class Kind { identifier, number, string, character, punctuation, hash, newline, end };
  Kind kind = Kind::end;
  std::string text;  ///< without line splices; of a header name after #include, the quotes or angles with it
  Place place;
  std::size_t offset = 0;  ///< of its first byte in the text

  [[nodiscard]] bool is(std::string_view mark) const { return kind == Kind::punctuation && text == mark; }
};

/// A text that does not split: an unterminated literal or comment, a character that may not stand in it.
class ScanError : public std::runtime_error {
 public:
  ScanError(const std::string& message, Place at) : std::runtime_error(message), place(at) {}
  Place place;
};

/// Reads tokens one after the other. The text must outlive it. `#` at the start of a line comes as Kind::hash, and until the
/// line's end newlines come as tokens, too.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  /// Throws ScanError.
  Token next();
  /// The rest of an #include directive's operand: a header name, or whatever else stands there.
  Token next_header_name();
  /// How many bytes of the text have been read.
  [[nodiscard]] std::size_t offset() const { return at_; }

 private:
  char peek(std::size_t ahead = 0);
  char take();
  void skip_splices();
  void advance_raw();
  bool skip_blank();
  void skip_to_token();
  void quoted(Token& token, char quote);
  void raw_string(Token& token);

  std::string_view text_;
  std::size_t at_ = 0;
  Place place_;
  bool line_start_ = true;
  bool directive_ = false;
};

/// All tokens of a text. Throws ScanError.
std::vector<Token> tokens_of(std::string_view text);

/// The line that a place is in, without its newline.
std::string_view line_of(std::string_view text, Place place);

}  // namespace kiln::codegen

#include "signature/cursor.hpp"

#include "kiln/error.hpp"

#include "base/utf8.hpp"

namespace kiln::signature {
namespace {

std::string first_character(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  const bool control = byte < 0x20 || byte == 0x7f;
  const std::size_t length = control ? 0 : base::utf8_length(text);
  if (length > 0) return std::string(text.substr(0, length));
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
}

}  // namespace

std::string Cursor::found() const {
  return at_end() ? ", found the end of the text" : ", found '" + first_character(rest()) + "'";
}

void Cursor::fail_at(std::size_t position, const std::string& message) const {
  throw SignatureError(message, text_, position);
}

void refuse_name(Cursor& cursor) {
  cursor.skip_blanks();
  const std::size_t at = cursor.position();
  const std::string name(cursor.name());
  if (name.empty()) return;
  cursor.skip_blanks();
  if (cursor.peek() != '(') cursor.fail_at(at, "expected '(' after the result's type, found \"" + name + "\"");
  cursor.fail_at(at, "a signature beside its body has no name: leave \"" + name + "\" out here, and give it as .name");
}

}  // namespace kiln::signature

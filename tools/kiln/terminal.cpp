#include "terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace kiln::tool {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::size_t terminal_width(int descriptor) {
  std::size_t width = 0;
  const std::string_view asked = variable("COLUMNS");
  std::from_chars(asked.data(), asked.data() + asked.size(), width);
  if (width > 0) return width;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The length of the UTF-8 sequence that the text begins with; 0 where it is none, or a control character (C1's included).
std::size_t sequence(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return first < 0x20 || first == 0x7F ? 0 : 1;
  const std::size_t length = first >= 0xF0 && first <= 0xF4  ? 4
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xC2 && first < 0xE0 ? 2
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), is_continuation)) return 0;
  return first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0 ? 0 : length;
}

Terminal terminal_at(int descriptor) {
  if (isatty(descriptor) == 0) return {};
  const std::string_view kind = variable("TERM");
  return {.width = terminal_width(descriptor),
          .colours = variable("NO_COLOR").empty() && kind != "dumb",
          .cursor = !kind.empty() && kind != "dumb"};
}

}  // namespace

Terminal Terminal::standard_output() {
  return terminal_at(STDOUT_FILENO);
}

Terminal Terminal::standard_error() {
  return terminal_at(STDERR_FILENO);
}

std::string Terminal::styled(std::string_view text, Style style) const {
  if (!colours || text.empty()) return std::string(text);
  constexpr const char* kCodes[] = {"1", "32", "31", "2"};
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(style)], text);
}

bool can_ask() {
  return isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
}

std::string printable(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const bool kept = lines && (text.front() == '\n' || text.front() == '\t');
    const std::size_t length = kept ? 1 : sequence(text);
    out += length == 0 ? std::string_view("?") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) { return !is_continuation(byte); }));
}

std::string cut(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t end = 0;
  for (std::size_t taken = 0; end < text.size(); ++end) {
    if (!is_continuation(text[end]) && taken++ == width - 1) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace kiln::tool

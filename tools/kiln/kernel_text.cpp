#include "kernel_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iostream>

#include "kiln/error.hpp"
#include "operand.hpp"

namespace kiln::tool {

std::string read_text_file(const std::string& path) {
  std::ifstream file;
  if (!is_standard_stream(path)) {
    errno = 0;
    file.open(path, std::ios::binary);
    if (!file) throw IoError(fmt::format("cannot open \"{}\": {}", path, std::strerror(errno)));
  }
  std::istream& stream = is_standard_stream(path) ? std::cin : file;
  std::string text;
  char block[4096];
  // A folder opens and then fails to read, which istreambuf_iterator would take for an empty file.
  while (stream.read(block, sizeof block) || stream.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
  }
  // Editors on Windows put a mark of UTF-8 in front.
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (stream.bad()) throw IoError(fmt::format("cannot read \"{}\": {}", path, std::strerror(errno)));
  return text;
}

std::string text_or_file(const std::string& text) {
  return text.starts_with('@') ? read_text_file(text.substr(1)) : text;
}

std::string_view without_blanks(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

bool in_a_name(char c) noexcept {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace kiln::tool

#include "binary/archive.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

namespace kiln::base {
namespace {

constexpr std::size_t kHeaderBytes = 60;
constexpr std::string_view kHeaderEnd = "`\n";

/// A field of a header: decimal digits, then blanks.
std::optional<std::size_t> number_in(std::string_view field) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc()) return std::nullopt;
  const bool blank = std::all_of(end, field.data() + field.size(), [](char c) { return c == ' '; });
  return blank ? std::optional(value) : std::nullopt;
}

std::string_view trimmed(std::string_view field) {
  const std::size_t last = field.find_last_not_of(' ');
  return field.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

std::vector<ArchiveMember> archive_members(std::string_view bytes, std::string* why) {
  std::vector<ArchiveMember> members;
  const auto refuse = [&](const char* reason) {
    *why = reason;
    return std::vector<ArchiveMember>();
  };
  if (!bytes.starts_with(kArchiveMagic)) return refuse("it is no archive");
  std::string_view names;
  for (std::size_t at = kArchiveMagic.size(); at < bytes.size();) {
    if (bytes.size() - at < kHeaderBytes) return refuse("its last header is cut off");
    const std::string_view header = bytes.substr(at, kHeaderBytes);
    const auto size = number_in(header.substr(48, 10));
    at += kHeaderBytes;
    if (!header.ends_with(kHeaderEnd) || !size) return refuse("a header of it is damaged");
    if (*size > bytes.size() - at) return refuse("a member reaches beyond its end");
    std::string_view contents = bytes.substr(at, *size);
    at += *size + (*size & 1U);
    std::string_view name = trimmed(header.substr(0, 16));
    if (name == "//") {
      names = contents;
      continue;
    }
    if (name == "/" || name == "/SYM64/" || name.starts_with("__.SYMDEF")) continue;
    if (name.starts_with("#1/")) {  // BSD: the name stands before the contents
      const auto length = number_in(name.substr(3));
      if (!length || *length > contents.size()) return refuse("a member's name reaches beyond its end");
      name = contents.substr(0, *length);
      name = name.substr(0, name.find('\0'));
      contents.remove_prefix(*length);
      if (name.starts_with("__.SYMDEF")) continue;
    } else if (name.size() > 1 && name.front() == '/') {  // GNU: a place in the table of names
      const auto place = number_in(name.substr(1));
      if (!place || *place > names.size()) return refuse("a member's name lies outside the table of names");
      name = names.substr(*place);
      name = name.substr(0, name.find_first_of("/\n"));
    } else if (name.ends_with('/')) {
      name.remove_suffix(1);
    }
    members.push_back({std::string(name), contents});
  }
  return members;
}

}  // namespace kiln::base

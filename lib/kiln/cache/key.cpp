// The canonical text of a key. Written by hand: 20 KB of source take a JSON library several times as long, and the text must
// not change with that library's version.
#include "cache/key.hpp"

#include <array>

#include "base/hash.hpp"
#include "base/utf8.hpp"

namespace kiln::cache {
namespace {

void write_escape(std::string& out, unsigned char byte) {
  constexpr const char* kDigits = "0123456789abcdef";
  switch (byte) {
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '"':
    case '\\':
      out += '\\';
      out += static_cast<char>(byte);
      return;
    default:
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
  }
}

constexpr std::array<bool, 256> make_escaped(bool above_ascii) {
  std::array<bool, 256> escaped{};
  for (std::size_t i = 0; i < 256; ++i) escaped[i] = i < 0x20 || i == '"' || i == '\\' || (above_ascii && i >= 0x80);
  return escaped;
}
constexpr std::array<bool, 256> kEscaped = make_escaped(false);
constexpr std::array<bool, 256> kEscapedLatin1 = make_escaped(true);

void write_string(std::string& out, std::string_view text, const std::array<bool, 256>& escaped) {
  out += '"';
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (!escaped[byte]) continue;
    out.append(text, start, i - start);
    write_escape(out, byte);
    start = i + 1;
  }
  out.append(text, start);
  out += '"';
}

// A user's text need not be UTF-8, JSON must be: other bytes are written as {"latin1": …}, so that different texts stay
// different.
void write(std::string& out, std::string_view text) {
  if (base::is_utf8(text)) return write_string(out, text, kEscaped);
  out += "{\"latin1\":";
  write_string(out, text, kEscapedLatin1);
  out += '}';
}

void write(std::string& out, bool value) {
  out += value ? "true" : "false";
}

void write(std::string& out, const std::vector<std::string>& texts) {
  out += '[';
  for (const std::string& text : texts) {
    if (&text != &texts.front()) out += ',';
    write(out, std::string_view(text));
  }
  out += ']';
}

void write(std::string& out, const std::map<std::string, std::string>& files) {
  out += '[';
  bool first = true;
  for (const auto& [name, text] : files) {
    out += first ? "[" : ",[";
    first = false;
    write(out, std::string_view(name));
    out += ',';
    write(out, std::string_view(text));
    out += ']';
  }
  out += ']';
}

std::size_t expected_size(const Key& key) {
  std::size_t size = 1024 + key.source.size() + key.source.size() / 16 + key.target.size();
  for (const auto& [name, text] : key.headers) size += name.size() + text.size() + text.size() / 16;
  for (const std::string& option : key.options) size += option.size() + 4;
  return size;
}

}  // namespace

std::string Key::canonical() const {
  std::string out;
  out.reserve(expected_size(*this));
  const auto write_member = [&](std::string_view name, const auto& value) {
    out += out.empty() ? "{\"" : ",\"";
    out += name;
    out += "\":";
    write(out, value);
  };
  const auto* flag = kArithmeticFlags.begin();
  const auto member = [&](std::string_view name, const auto& value) {
    for (; flag != kArithmeticFlags.end() && flag->name < name; ++flag) {
      if (flag->in_every_key || arithmetic.*flag->member) write_member(flag->name, arithmetic.*flag->member);
    }
    write_member(name, value);
  };
  const auto text = [](const std::string& value) { return std::string_view(value); };
  member("compiler", text(compiler));
  if (debug) member("debug", debug);
  member("defines", defines);
  member("headers", headers);
  member("kiln", text(kiln_version));
  if (!link.empty()) member("link", link);
  member("options", options);
  member("runtime", text(runtime));
  member("schema", kKeySchema);
  member("source", text(source));
  member("target", text(target));
  member("templates", text(templates));
  out += '}';
  return out;
}

std::string digest(std::string_view text) {
  return base::to_hex(base::hash128(text));
}

}  // namespace kiln::cache

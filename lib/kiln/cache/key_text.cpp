// Reading a key's text. Unlike writing it, this is not on the way of a call.
#include <nlohmann/json.hpp>

#include "cache/key.hpp"

namespace kiln::cache {
namespace {

using Json = nlohmann::json;

// {"latin1": …} holds a byte in each character.
std::optional<std::string> bytes_of_latin1(const std::string& utf8) {
  std::string bytes;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    if (lead < 0x80) {
      bytes += utf8[i];
    } else if ((lead == 0xC2 || lead == 0xC3) && i + 1 < utf8.size()) {
      const auto next = static_cast<unsigned char>(utf8[++i]);
      bytes += static_cast<char>((lead & 3U) << 6U | (next & 0x3FU));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

bool read(const Json& json, std::string* to) {
  if (json.is_string()) {
    *to = json.get_ref<const std::string&>();
    return true;
  }
  if (!json.is_object() || json.size() != 1) return false;
  const auto latin1 = json.find("latin1");
  if (latin1 == json.end() || !latin1->is_string()) return false;
  auto bytes = bytes_of_latin1(latin1->get_ref<const std::string&>());
  if (bytes) *to = *std::move(bytes);
  return bytes.has_value();
}

bool read(const Json& json, bool* to) {
  if (json.is_boolean()) *to = json.get<bool>();
  return json.is_boolean();
}

bool read(const Json& json, std::vector<std::string>* to) {
  if (!json.is_array()) return false;
  for (const Json& item : json) {
    if (!read(item, &to->emplace_back())) return false;
  }
  return true;
}

bool read(const Json& json, std::map<std::string, std::string>* to) {
  if (!json.is_array()) return false;
  for (const Json& pair : json) {
    std::string name;
    std::string text;
    if (!pair.is_array() || pair.size() != 2 || !read(pair[0], &name) || !read(pair[1], &text)) return false;
    if (!to->emplace(std::move(name), std::move(text)).second) return false;
  }
  return true;
}

}  // namespace

std::optional<Key> parse_key(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  std::size_t known = 0;
  const auto member = [&](const char* name, auto* to) {
    const auto found = json.find(name);
    if (found == json.end() || !read(*found, to)) return false;
    ++known;
    return true;
  };
  Key key;
  std::string schema;
  const bool all = member("compiler", &key.compiler) && member("defines", &key.defines) && member("headers", &key.headers) &&
                   member("kiln", &key.kiln_version) && member("options", &key.options) && member("runtime", &key.runtime) &&
                   member("schema", &schema) && member("source", &key.source) && member("target", &key.target) &&
                   member("templates", &key.templates);
  if (json.contains("link") && (!member("link", &key.link) || key.link.empty())) return std::nullopt;
  if (json.contains("debug") && !(member("debug", &key.debug) && key.debug)) return std::nullopt;
  for (const ArithmeticFlag& flag : kArithmeticFlags) {
    bool& value = key.arithmetic.*flag.member;
    if (flag.in_every_key || json.contains(flag.name)) {
      if (!member(flag.name, &value) || !(flag.in_every_key || value)) return std::nullopt;
    }
  }
  if (!all || schema != kKeySchema || known != json.size()) return std::nullopt;
  return key;
}

}  // namespace kiln::cache

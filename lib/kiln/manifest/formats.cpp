#include "manifest/formats.hpp"

#include <cstdint>
#include <limits>

#include "base/utf8.hpp"
#include "kiln/error.hpp"
#include "ufunc/impl.hpp"

namespace kiln::manifest {

std::string Code::read(const Node& node) {
  std::string text = node.text();
  if (text.empty()) node.fail("an empty text");
  return text;
}

Json Word::write(const std::string& word) {
  if (!base::is_utf8(word)) throw TypeError("\"" + base::printable(word) + "\" is not UTF-8, which JSON cannot hold");
  return word;
}

std::string Name::read(const Node& node) {
  std::string name = node.word();
  node.locate([&] { detail::check_name(name); });
  return name;
}

int Limit::read(const Node& node) {
  return static_cast<int>(node.integer(0, std::numeric_limits<int>::max()));
}

std::chrono::milliseconds Milliseconds::read(const Node& node) {
  return std::chrono::milliseconds(
      node.integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
}

std::map<std::string, std::string> Headers::read(const Node& node) {
  std::map<std::string, std::string> headers;
  for (const auto& [name, text] : node.members()) {
    if (name.empty()) node.fail("a header without a name");
    headers.emplace(name, text.text());
  }
  return headers;
}

Json Headers::write(const std::map<std::string, std::string>& headers) {
  Json json = Json::object();
  for (const auto& [name, text] : headers) json[Word::write(name).get<std::string>()] = text_json(text);
  return json;
}

LinkFile Linked::read(const Node& node) {
  if (!node.json().is_object() || node.has("latin1")) return {Path::read(node)};
  node.check_members({"name", "bytes"});
  return LinkFile::of_bytes(Path::read(node.at("name")), Code::read(node.at("bytes")));
}

Json Linked::write(const LinkFile& file) {
  const Json name = Path::write(file.name);
  return file.bytes == nullptr ? name : Json{{"name", name}, {"bytes", text_json(*file.bytes)}};
}

}  // namespace kiln::manifest

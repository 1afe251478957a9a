#include "manifest/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "kiln/error.hpp"

namespace kiln::manifest {
namespace {

std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string cut(text.substr(0, kShown));
  for (char& c : cut) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return cut + (text.size() > kShown ? "…" : "");
}

/// One byte for each character; nothing where one has no byte.
std::optional<std::string> to_latin1(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      bytes += static_cast<char>(lead);
    } else if ((lead == 0xC2 || lead == 0xC3) && i + 1 < text.size()) {
      bytes += static_cast<char>((lead & 3U) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3FU));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

std::string from_latin1(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0U | byte >> 6);
      text += static_cast<char>(0x80U | (byte & 0x3FU));
    }
  }
  return text;
}

}  // namespace

void Node::fail(const std::string& message) const {
  throw CacheError(located(*name_, path_, message));
}

std::string Node::kind() const {
  switch (value_->type()) {
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::string:
      return fmt::format("\"{}\"", shown(value_->get_ref<const std::string&>()));
    default:
      return value_->dump();
  }
}

void Node::check_members(std::span<const std::string_view> known) const {
  if (!value_->is_object()) fail("expected an object, found " + kind());
  for (const auto& [member, value] : value_->items()) {
    if (std::find(known.begin(), known.end(), member) != known.end()) continue;
    if (const std::string_view nearest = base::nearest(member, known); !nearest.empty())
      fail(fmt::format("unknown member \"{}\": did you mean \"{}\"?", shown(member), nearest));
    std::string names;
    for (const std::string_view each : known) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", each);
    fail(fmt::format("unknown member \"{}\"; the members are {}", shown(member), names));
  }
}

std::optional<Node> Node::find(std::string_view member) const {
  if (!value_->is_object()) fail("expected an object, found " + kind());
  const auto found = value_->find(member);
  if (found == value_->end()) return std::nullopt;
  return Node(*found, *name_, join_path(path_, member));
}

Node Node::at(std::string_view member) const {
  std::optional<Node> found = find(member);
  if (!found) fail(fmt::format("the member \"{}\" is missing", member));
  return *std::move(found);
}

std::vector<Node> Node::list() const {
  if (!value_->is_array()) fail("expected a list, found " + kind());
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < value_->size(); ++i) nodes.emplace_back((*value_)[i], *name_, join_path(path_, i));
  return nodes;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  if (!value_->is_object()) fail("expected an object, found " + kind());
  std::vector<std::pair<std::string, Node>> nodes;
  for (const auto& [member, value] : value_->items()) nodes.emplace_back(member, Node(value, *name_, join_path(path_, member)));
  return nodes;
}

std::string Node::word() const {
  if (!value_->is_string()) fail("expected a string, found " + kind());
  std::string word = value_->get<std::string>();
  if (word.empty()) fail("an empty string");
  return word;
}

std::string Node::text() const {
  if (value_->is_string()) return value_->get<std::string>();
  if (!value_->is_object()) fail("expected a string or {\"latin1\": \"…\"}, found " + kind());
  check_members({"latin1"});
  const Node inner = at("latin1");
  if (!inner.json().is_string()) inner.fail("expected a string, found " + inner.kind());
  std::optional<std::string> bytes = to_latin1(inner.json().get_ref<const std::string&>());
  if (!bytes) inner.fail("a character beyond U+00FF is no byte: in \"latin1\" each character stands for one byte");
  return *std::move(bytes);
}

bool Node::flag() const {
  if (!value_->is_boolean()) fail("expected true or false, found " + kind());
  return value_->get<bool>();
}

std::int64_t Node::integer(std::int64_t lowest, std::int64_t highest) const {
  const auto complain = [&] { fail(fmt::format("expected an integer from {} to {}, found {}", lowest, highest, kind())); };
  // JSON has one kind of numbers: 2.0 is the whole number 2, as it is for the schema.
  if (value_->is_number_float()) {
    const double number = value_->get<double>();
    // Beyond 2⁵³ such a number stands for its neighbours, too.
    constexpr double kExact = 9007199254740992.0;
    const bool within =
        number >= std::max(static_cast<double>(lowest), -kExact) && number <= std::min(static_cast<double>(highest), kExact);
    if (!within || number != std::floor(number)) complain();
    return static_cast<std::int64_t>(number);
  }
  if (!value_->is_number_integer()) complain();
  // An unsigned number beyond 2⁶³ would turn negative.
  if (value_->is_number_unsigned() && value_->get<std::uint64_t>() > static_cast<std::uint64_t>(highest)) complain();
  const auto number = value_->get<std::int64_t>();
  if (number < lowest || number > highest) complain();
  return number;
}

Json text_json(std::string_view text) {
  if (base::is_utf8(text)) return std::string(text);
  return {{"latin1", from_latin1(text)}};
}

}  // namespace kiln::manifest

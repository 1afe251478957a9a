// The members of a structure in JSON, as a table: reading, writing and the check of the schema follow from it.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/compile_options.hpp"
#include "manifest/formats.hpp"
#include "manifest/node.hpp"

namespace kiln::manifest {

template <class Definition>
struct Member {
  std::string_view name;
  std::string_view type;   ///< among the schema's $defs
  std::string_view about;  ///< its description there
  bool required;
  std::string Definition::* code;  ///< where it is code
  void (*read)(const Node& node, Definition& definition);
  Json (*write)(const Definition& definition);
};

enum class Need : bool { optional, required };

template <auto place>
struct Place;
template <class Owner, class Value, Value Owner::* place>
struct Place<place> {
  using Definition = Owner;
};

/// The row of a member. `about` is its description in the schema.
template <auto place, class Format>
constexpr auto row(std::string_view name, std::string_view about, Need need = Need::optional) {
  using Definition = typename Place<place>::Definition;
  Member<Definition> member{.name = name,
                            .type = Format::type.empty() ? name : Format::type,
                            .about = about,
                            .required = need == Need::required,
                            .code = nullptr,
                            .read = [](const Node& node, Definition& definition) { definition.*place = Format::read(node); },
                            .write = [](const Definition& definition) -> Json { return Format::write(definition.*place); }};
  if constexpr (std::is_same_v<Format, Code>) member.code = place;
  return member;
}

/// Every member but `compile`, whose own members stand beside these, and `cache`, which is a handle.
template <class Definition>
inline constexpr auto kMembers = nullptr;

template <class Definition>
concept HasCompileOptions = requires(Definition definition) { definition.compile; };

template <class Definition>
void add_names(std::vector<std::string_view>& names) {
  for (const Member<Definition>& member : kMembers<Definition>) names.push_back(member.name);
  if constexpr (HasCompileOptions<Definition>) add_names<CompileOptions>(names);
}

/// Members that stand beside those of a definition.
using Others = std::initializer_list<std::string_view>;

/// Checks that an object has no members but those of the definition and others.
template <class Definition>
void check_members(const Node& node, Others others = {}, Others more = {}) {
  std::vector<std::string_view> names(others);
  add_names<Definition>(names);
  names.insert(names.end(), more);
  node.check_members(names);
}

/// Reads the members that there are; fails where a required one is missing. `said`: those that another member says already.
template <class Definition>
void read_members(const Node& node, Definition& definition, std::span<const std::string_view> said = {}) {
  for (const Member<Definition>& member : kMembers<Definition>) {
    const auto found = node.find(member.name);
    if (std::find(said.begin(), said.end(), member.name) != said.end()) {
      if (found) found->fail("\"kernel\" says it already: leave one of them out");
    } else if (found || member.required) {
      member.read(node.at(member.name), definition);
    }
  }
  if constexpr (HasCompileOptions<Definition>) read_members(node, definition.compile);
}

/// Adds the members that have not their default.
template <class Definition>
void write_members(const Definition& definition, Json& json) {
  const Definition defaults;
  for (const Member<Definition>& member : kMembers<Definition>) {
    Json value = member.write(definition);
    if (value != member.write(defaults)) json[std::string(member.name)] = std::move(value);
  }
  if constexpr (HasCompileOptions<Definition>) write_members(definition.compile, json);
}

/// An object of members that have not their default.
template <class Definition>
struct Object {
  static constexpr std::string_view type = {};
  static Definition read(const Node& node) {
    check_members<Definition>(node);
    Definition value;
    read_members(node, value);
    return value;
  }
  static Json write(const Definition& value) {
    Json json = Json::object();
    write_members(value, json);
    return json;
  }
};

/// "kind" of a definition.
template <class Definition>
inline constexpr std::string_view kKind = "";

/// A definition without what is compiled of it and defaults left out. Throws TypeError for what no JSON can hold.
template <class Definition>
[[nodiscard]] Json definition_json(const Definition& definition) {
  Json json{{"kind", kKind<Definition>}};
  write_members(definition, json);
  return json;
}

/// The code of a definition, without that of its options.
template <class Definition>
[[nodiscard]] std::string code_of(const Definition& definition) {
  std::string code;
  for (const Member<Definition>& member : kMembers<Definition>) {
    if (member.code != nullptr) code += definition.*member.code + "\n";
  }
  return code;
}

}  // namespace kiln::manifest

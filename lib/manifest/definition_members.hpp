// The members that definitions of every kind have: texts, headers, options. Definition is UfuncDefinition, RawKernelDefinition,
// …
#pragma once

#include <filesystem>
#include <string>

#include "codegen/spec.hpp"
#include "manifest/node.hpp"

namespace kiln::manifest {

/// A text that is not empty.
[[nodiscard]] inline std::string read_text(const Node& node) {
  std::string text = node.text();
  if (text.empty()) node.fail("an empty text");
  return text;
}

[[nodiscard]] inline std::string read_name(const Node& node) {
  std::string name = read_text(node);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) node.fail("a control character; names appear in messages");
  }
  return name;
}

template <class Definition>
void read_members(const Node& node, Definition& definition) {
  if (const auto text = node.find("preamble")) definition.preamble = text->text();
  if (const auto text = node.find("functions")) definition.functions = text->text();
  if (const auto headers = node.find("headers")) {
    for (const auto& [name, text] : headers->members()) {
      if (name.empty()) headers->fail("a header without a name");
      definition.headers.emplace(name, text.text());
    }
  }
  if (const auto folders = node.find("include_dirs")) {
    for (const Node& each : folders->list()) definition.include_dirs.push_back(each.word());
  }
  if (const auto defines = node.find("defines")) {
    for (const Node& each : defines->list()) definition.defines.push_back(read_text(each));
  }
  if (const auto flag = node.find("contract")) definition.contract = flag->flag();
  if (const auto flag = node.find("fast_math")) definition.fast_math = flag->flag();
}

/// Their JSON, include_dirs and defaults left out.
template <class Definition>
void write_members(const Definition& definition, Json& json) {
  if (!definition.preamble.empty()) json["preamble"] = text_json(definition.preamble);
  if (!definition.functions.empty()) json["functions"] = text_json(definition.functions);
  for (const auto& [name, header] : definition.headers) json["headers"][name] = text_json(header);
  for (const std::string& define : definition.defines) json["defines"].push_back(text_json(define));
  if (definition.contract) json["contract"] = true;
  if (definition.fast_math) json["fast_math"] = true;
}

/// Makes include_dirs relative to the manifest's folder.
template <class Definition>
void place_include_dirs(Definition& definition, const std::string& folder) {
  for (std::string& include : definition.include_dirs) {
    if (!folder.empty()) include = (std::filesystem::path(folder) / include).lexically_normal().string();
  }
}

/// The definition with the headers that its texts reach: the files themselves may be gone, or others, where the manifest is
/// compiled. `body` is the text that is compiled under the kernel's name.
template <class Definition>
[[nodiscard]] Definition with_reached_headers(Definition definition, const std::string& body) {
  const auto reached = codegen::resolve_includes({{definition.name + ".preamble", definition.preamble},
                                                  {definition.name + ".functions", definition.functions},
                                                  {definition.name, body}},
                                                 definition.headers, definition.include_dirs);
  definition.headers.clear();
  for (const auto& [name, text] : reached) {
    const auto embedded = codegen::embedded_headers().find(name);
    if (embedded == codegen::embedded_headers().end() || embedded->second != text) definition.headers.emplace(name, text);
  }
  return definition;
}

}  // namespace kiln::manifest

// What the definitions of all kinds of kernels have in common, in a manifest.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "codegen/spec.hpp"
#include "manifest/node.hpp"

namespace kiln::manifest {

/// A text that is not empty.
[[nodiscard]] std::string read_text(const Node& node);
/// A name that a definition may have.
[[nodiscard]] std::string read_name(const Node& node);

/// The members from "preamble" to "fast_math", into a definition of either kind.
template <class Definition>
void read_options(const Node& node, Definition& definition) {
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

/// The same members, defaults and include_dirs left out.
template <class Definition>
void write_options(const Definition& definition, Json& json) {
  if (!definition.preamble.empty()) json["preamble"] = text_json(definition.preamble);
  if (!definition.functions.empty()) json["functions"] = text_json(definition.functions);
  for (const auto& [name, header] : definition.headers) json["headers"][name] = text_json(header);
  for (const std::string& define : definition.defines) json["defines"].push_back(text_json(define));
  if (definition.contract) json["contract"] = true;
  if (definition.fast_math) json["fast_math"] = true;
}

/// Makes include_dirs relative to a manifest's folder.
template <class Definition>
void resolve_folders(Definition& definition, const std::string& folder) {
  for (std::string& include : definition.include_dirs) {
    if (!folder.empty()) include = (std::filesystem::path(folder) / include).lexically_normal().string();
  }
}

/// Replaces the headers by all that the texts reach and that are not kiln's: the files themselves may be gone, or others, where
/// the manifest is compiled.
template <class Definition>
void collect_headers(Definition& definition, std::string body) {
  const auto reached = codegen::resolve_includes({{definition.name + ".preamble", definition.preamble},
                                                  {definition.name + ".functions", definition.functions},
                                                  {definition.name, std::move(body)}},
                                                 definition.headers, definition.include_dirs);
  definition.headers.clear();
  for (const auto& [name, text] : reached) {
    const auto embedded = codegen::embedded_headers().find(name);
    if (embedded == codegen::embedded_headers().end() || embedded->second != text) definition.headers.emplace(name, text);
  }
}

}  // namespace kiln::manifest

// What the definitions of all kinds of kernels have in common, in a manifest.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/compile_options.hpp"
#include "kiln/error.hpp"
#include "manifest/node.hpp"
#include "manifest/tables.hpp"

namespace kiln::manifest {

/// A definition that was read.
template <class Impl>
struct Made {
  Json json;  ///< canonical
  std::shared_ptr<const Impl> impl;
};

/// Fails at a signature that parse() refuses, or that is there twice, and where there is none.
template <class Parse>
void check_signatures(const Node& node, const std::vector<std::string>& signatures, std::string_view example,
                      const Parse& parse) {
  const std::vector<Node> places = node.list();
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    places[i].locate([&] { static_cast<void>(parse(signatures[i])); });
    const auto end = signatures.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(signatures.begin(), end, signatures[i]) != end) places[i].fail("the same signature is there twice");
  }
  if (signatures.empty()) node.fail("no signature given; write one like \"" + std::string(example) + "\"");
}

/// Fails where a text was refused: in the member that it stands in, by the file that the first diagnostic names,
/// "name.preamble"; else in `body`.
[[noreturn]] void fail_text(const Node& node, const std::string& name, const char* body, const CompileError& error);

/// Makes include_dirs and the files to link relative to a manifest's folder.
void resolve_folders(CompileOptions& options, const std::string& folder);

/// What make() makes of a definition. Fails, located, where it throws: at `signatures`, or at a text.
template <class Definition, class Make>
auto make_located(const Node& node, const Node& signatures, Definition definition, const char* body, const std::string& folder,
                  const Make& make) -> Made<std::remove_cvref_t<decltype(*make(definition))>> {
  const std::string name = definition.name;
  Json json = definition_json(definition);
  resolve_folders(definition.compile, folder);
  try {
    return {std::move(json), make(std::move(definition))};
  } catch (const SignatureError& error) {
    signatures.fail(error.what());
  } catch (const CompileError& error) {
    fail_text(node, name, body, error);
  }
}

/// Fails where there are such members beside "calls".
void check_alone(const Node& node, std::initializer_list<const char*> instead);
/// Fails where the same call is there already.
void add_call(const Node& node, Json call, Json& written);

/// Reads "calls" by read(), which gives the canonical JSON of each. `instead`: the members that they make needless; `empty`:
/// what it means to leave the list out.
template <class Read>
void read_calls(const Node& node, const Node& list, std::initializer_list<const char*> instead, const char* empty, Json& json,
                const Read& read) {
  check_alone(node, instead);
  Json& written = json["calls"] = Json::array();
  for (const Node& each : list.list()) add_call(each, read(each), written);
  if (written.empty()) list.fail(std::string("an empty list: leave it out for ") + empty);
}

/// Replaces headers and include_dirs by all that the texts reach and that is not kiln's, and files to link by their bytes: the
/// files themselves may be gone, or others, where the manifest is compiled.
void collect_headers(const std::string& name, CompileOptions& options, std::string body);

/// The JSON of a definition, with the headers and the files that it reached, so that it stands alone.
template <class Definition>
[[nodiscard]] Json recorded_definition(Definition definition) {
  collect_headers(definition.name, definition.compile, code_of(definition));
  return definition_json(definition);
}

}  // namespace kiln::manifest

// What the definitions of all kinds of kernels have in common, in a manifest.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "kiln/compile_options.hpp"
#include "kiln/error.hpp"
#include "manifest/node.hpp"

namespace kiln::manifest {

/// A text that is not empty.
[[nodiscard]] std::string read_text(const Node& node);
/// A name that a definition may have.
[[nodiscard]] std::string read_name(const Node& node);

/// The members from "preamble" to "debug", at the level of the definition.
void read_options(const Node& node, CompileOptions& options);
/// The same members, defaults left out.
void write_options(const CompileOptions& options, Json& json);

/// Fails where a text was refused: in the member that it stands in, by the file that the first diagnostic names,
/// "name.preamble"; else in `body`.
[[noreturn]] void fail_text(const Node& node, const std::string& name, const char* body, const CompileError& error);

/// What make() makes of a definition. Fails, located, where it throws.
template <class Make>
auto make_located(const Node& node, const Node& signatures, const std::string& name, const char* body, const Make& make) {
  try {
    return make();
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
/// Makes include_dirs and the files to link relative to a manifest's folder.
void resolve_folders(CompileOptions& options, const std::string& folder);

/// Replaces headers and include_dirs by all that the texts reach and that is not kiln's, and files to link by their bytes: the
/// files themselves may be gone, or others, where the manifest is compiled.
void collect_headers(const std::string& name, CompileOptions& options, std::string body);

}  // namespace kiln::manifest

// What the definitions of all kinds of kernels have in common, in a manifest.
#pragma once

#include <string>
#include <string_view>

#include "kiln/compile_options.hpp"
#include "manifest/node.hpp"

namespace kiln::manifest {

/// A text that is not empty.
[[nodiscard]] std::string read_text(const Node& node);
/// A name that a definition may have.
[[nodiscard]] std::string read_name(const Node& node);

/// The members from "preamble" to "fast_math", at the level of the definition.
void read_options(const Node& node, CompileOptions& options);
/// The same members, defaults left out.
void write_options(const CompileOptions& options, Json& json);

/// Makes include_dirs relative to a manifest's folder.
void resolve_folders(CompileOptions& options, const std::string& folder);

/// Replaces headers and include_dirs by all that the texts reach and that is not kiln's: the files themselves may be gone, or
/// others, where the manifest is compiled.
void collect_headers(const std::string& name, CompileOptions& options, std::string body);

}  // namespace kiln::manifest

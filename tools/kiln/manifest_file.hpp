// A manifest as the command line names it.
#pragma once

#include <string>

#include "kiln/manifest.hpp"

namespace kiln::tool {

/// Of a file, or of standard input for "-". What Manifest::read() throws; messages say "standard input" for "-".
[[nodiscard]] Manifest read_manifest(const std::string& path);

}  // namespace kiln::tool

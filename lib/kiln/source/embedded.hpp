// The texts of kernels-src/, as the build embedded them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln::codegen {

struct EmbeddedHeader {
  std::string_view name;  ///< as in #include: "kiln/core/types.hpp"
  std::string_view text;
  std::vector<std::string_view> includes;  ///< names that it includes: what scanning the text would find
  bool standard = false;                   ///< it has the name of a header of the standard library
};

/// Whether that is one of them, and not a text of the user's under its name.
bool is_embedded(const std::string& name, const std::string& text);

/// All of them, sorted by name. Defined in a source that the build generates.
const std::vector<EmbeddedHeader>& embedded_texts();

}  // namespace kiln::codegen

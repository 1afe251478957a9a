// What decides a kernel's machine code, as a value and as the one text that it is known by.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "types/arithmetic.hpp"

namespace kiln::cache {

/// Everything that can change the machine code. canonical() is one JSON text with sorted keys; two keys are equal exactly when
/// those are. A list of files to link that is empty is left out.
struct Key {
  std::string kiln_version;
  std::string templates;                       ///< digest of the embedded device headers
  std::string source;                          ///< the rendered translation unit
  std::map<std::string, std::string> headers;  ///< every other file reached: name → its text
  std::vector<std::string> options;
  std::vector<std::string> defines;
  Arithmetic arithmetic = {};
  std::vector<std::string> link = {};  ///< digests of the files that it is linked with, in order
  bool debug = false;                  ///< not in the text of a key where it is not
  std::string target;
  std::string compiler;  ///< name and full version
  std::string runtime;   ///< what else the code depends on: glibc's version for CPU code that calls libmvec; else empty

  [[nodiscard]] std::string canonical() const;
};

/// The key whose canonical text has these members, however it is spaced. Nothing for another text, or another schema.
[[nodiscard]] std::optional<Key> parse_key(std::string_view text);

/// Of the canonical text. Another one where a member comes, goes or changes its meaning.
inline constexpr std::string_view kKeySchema = "1";

/// 32 hex digits: XXH3-128 of the canonical text.
std::string digest(std::string_view text);

}  // namespace kiln::cache

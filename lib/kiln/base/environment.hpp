// Reading environment variables, and what is said of words that are none of theirs.
#pragma once

#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kiln::base {

/// The variable's value, also an empty one; nothing where it is not set, and in set-user-ID programs, whose caller must not
/// choose the files that they load. Safe beside other readers, not beside setenv.
[[nodiscard]] inline std::optional<std::string> env(const char* name) {
  const char* value = secure_getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// What a variable says that is one of a few words.
struct Word {
  std::string_view value;  ///< one of them; empty where the variable is empty, not set, or says something else
  bool unknown = false;    ///< it says something else
};
/// Something else is reported once (tell_line), with the words there are and `otherwise`: what holds then.
[[nodiscard]] Word env_word(const char* name, std::span<const std::string_view> words, std::string_view otherwise);

}  // namespace kiln::base

// Where the cache is, and whether it may be trusted: what lies in it is loaded and run as the user's own code.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/folder.hpp"

namespace kiln::cache {

/// What the environment says about the cache.
struct Settings {
  std::string directory;                           ///< absolute; empty: no disk tier
  bool named = false;                              ///< by KILN_CACHE_DIR
  std::vector<std::string> read_only_directories;  ///< of KILN_CACHE_READONLY_DIRS, in order
  std::uint64_t max_bytes = kDefaultMaxBytes;
  std::vector<std::string> complaints;  ///< a line for each variable that could not be followed
  std::string note;                     ///< why there is no directory, though none was refused

  static constexpr std::uint64_t kDefaultMaxBytes = std::uint64_t{1} << 30;
};

/// Reads KILN_CACHE_DIR, XDG_CACHE_HOME, HOME, KILN_CACHE_READONLY_DIRS and KILN_CACHE_MAX_BYTES through `env`.
[[nodiscard]] Settings read_settings(const std::function<std::optional<std::string>(const char*)>& env);

/// A relative name would change its meaning with the working directory. Empty for an empty one, and where there is no working
/// directory.
[[nodiscard]] std::string absolute_path(std::string path);

enum class Trust { trusted, missing, refused };

struct Verdict {
  Trust trust = Trust::refused;
  std::string reason = {};  ///< where refused: "it can be written by others (mode 0777); to mend it: chmod 700 /x"
  uid_t owner = 0;          ///< where trusted: whose it is
  Folder folder = {};       ///< where trusted: the cache's own directory, open
};

/// A directory is trusted where it belongs to this process's user and nobody else can write in it; a symbolic link to one,
/// where the link is this user's or root's. Opened first and then checked: what is trusted is what is used.
[[nodiscard]] Verdict open_own_directory(const std::string& path);

/// A read-only tier, directory or bundle, may belong to anyone, since the user named it, but only its owner may write in it.
[[nodiscard]] Verdict check_read_only_tier(const std::string& path);

/// Makes the directory and its parents with mode 0700; fine where it is there. errno, or 0.
[[nodiscard]] int make_directories(const std::string& path);

}  // namespace kiln::cache

// The kernel cache as a program sees it: what it did, where it is, and what it had to say.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kiln/export.hpp"

namespace kiln::cache {

/// Counts since the process started. Every kernel that a call needed and that was not yet bound to it counts once.
struct Stats {
  std::uint64_t memory_hits = 0;
  std::uint64_t disk_hits = 0;
  std::uint64_t compiles = 0;
  double compile_ms = 0;  ///< spent in compilers
};
[[nodiscard]] KILN_API Stats stats() noexcept;

/// The directory of the disk tier: KILN_CACHE_DIR, else $XDG_CACHE_HOME/kiln, else ~/.cache/kiln. Empty where the disk is not
/// used: KILN_CACHE_DIR is set and empty, or the directory was refused (the log says why).
[[nodiscard]] KILN_API std::string directory();

/// Receives one line for each fault of the disk tier (a refused directory, a damaged entry, a full disk). None by default: the
/// library never prints. Called from whatever thread met the fault; must not call kiln.
KILN_API void set_log(std::function<void(std::string_view)> callback);

}  // namespace kiln::cache

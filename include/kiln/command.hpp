// Commands: the work of the `kiln` command for programs, JSON in and JSON out. docs/c.md lists the commands.
#pragma once

#include <string>
#include <string_view>

#include "kiln/cache_handle.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// Runs a command and returns its reply, the text that `kiln … --json` prints: run_command(R"({"command": "cache.list"})").
/// Commands of the cache work on `cache`. Safe from any thread.
///
/// Throws CacheError, with the JSON path, for an unknown command or member. Throws what the command's C++ function throws.
[[nodiscard]] KILN_API std::string run_command(std::string_view request, const Cache& cache = {});

}  // namespace kiln

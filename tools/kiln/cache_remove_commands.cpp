#include "cache_remove_commands.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "kiln/error.hpp"
#include "options.hpp"
#include "output.hpp"
#include "terminal.hpp"
#include "units.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

int tell(const cache::Removal& removed) {
  print(fmt::format("removed {} ({})\n", entries_text(removed.entries), bytes_text(removed.bytes)));
  return kDone;
}

/// What the directory itself holds: read-only tiers keep theirs.
Total in_directory(const Cache& cache) {
  Total total;
  const std::string directory = cache.directory();
  for (const cache::Entry& entry : cache.list()) {
    if (entry.tier == directory) total.add(entry);
  }
  return total;
}

bool agrees(const std::string& question) {
  say(question + " [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace

CachePruneCommand::CachePruneCommand(CLI::App& app) {
  set_usage(app, "kiln cache prune [OPTIONS] --max-bytes N | --older-than AGE");
  add_text(app, "--max-bytes", max_bytes_, "Remove the least recently used until this much is left: 1000000, 500M, 2G", "N");
  add_text(app, "--older-than", older_than_, "Remove what was not used for this long: 30d, 12h, 90m, 45s", "AGE");
  choice_.add_to(app);
  set_footer(
      app,
      R"(With both, what is too old goes first. Programs that run keep what they have loaded. Read-only tiers are left alone. Nothing
needs to be pruned: the directory is kept within KILN_CACHE_MAX_BYTES (1 GiB) by itself.

Examples:
  kiln cache prune --older-than 30d
  kiln cache prune --max-bytes 200M)");
}

int CachePruneCommand::run() {
  std::optional<std::uint64_t> max_bytes;
  std::optional<std::chrono::seconds> older_than;
  if (!max_bytes_.empty()) max_bytes = read_bytes(max_bytes_);
  if (!older_than_.empty()) older_than = read_age(older_than_);
  if (!max_bytes && !older_than) throw UsageError("nothing to go by: give --max-bytes, --older-than or both");
  const Cache cache = choice_.writable();
  if (!choice_.json()) return tell(cache.prune(max_bytes, older_than));
  nlohmann::ordered_json request{{"command", "cache.prune"}};
  if (max_bytes) request["max_bytes"] = *max_bytes;
  if (older_than) request["older_than_s"] = older_than->count();
  print_reply(request, cache);
  return kDone;
}

CacheClearCommand::CacheClearCommand(CLI::App& app) {
  set_usage(app, "kiln cache clear [OPTIONS]");
  add_flag(app, "-y,--yes", yes_, "Do not ask");
  choice_.add_to(app);
  set_footer(
      app,
      R"(Removes every entry of the directory, and nothing that is not kiln's. Asks first; where nobody can be asked, --yes is needed.
Programs that run keep what they have loaded. Read-only tiers are left alone.

Example:
  kiln cache clear --yes)");
}

int CacheClearCommand::run() {
  const Cache cache = choice_.writable();
  if (!yes_) {
    const Total total = in_directory(cache);
    if (!can_ask()) {
      throw UsageError(fmt::format("{} in {} would be removed: give --yes, since nobody can be asked here", total.text(),
                                   cache.directory()));
    }
    if (!agrees(fmt::format("Remove {} from {}?", total.text(), printable(cache.directory())))) {
      throw CacheError("nothing was removed");
    }
  }
  if (!choice_.json()) return tell(cache.clear());
  print_reply({{"command", "cache.clear"}}, cache);
  return kDone;
}

}  // namespace kiln::tool

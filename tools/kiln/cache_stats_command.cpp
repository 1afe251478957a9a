#include "cache_stats_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kiln/error.hpp"
#include "options.hpp"
#include "output.hpp"
#include "table.hpp"
#include "units.hpp"

namespace kiln::tool {
namespace {

using Groups = std::map<std::string, Total>;

struct Sums {
  Total all;
  std::uint64_t code_bytes = 0;
  std::int64_t oldest_use = 0;  ///< 0: nothing that has a stamp
  std::int64_t newest_use = 0;
  Groups by_target;
  Groups by_compiler;
  Groups by_tier;
};

Sums sum(const std::vector<cache::Entry>& entries) {
  Sums sums;
  for (const cache::Entry& entry : entries) {
    sums.all.add(entry);
    sums.code_bytes += entry.code_bytes;
    sums.by_target[entry.target].add(entry);
    sums.by_compiler[entry.compiler].add(entry);
    sums.by_tier[entry.tier].add(entry);
    if (entry.used == 0) continue;
    sums.oldest_use = sums.oldest_use == 0 ? entry.used : std::min(sums.oldest_use, entry.used);
    sums.newest_use = std::max(sums.newest_use, entry.used);
  }
  return sums;
}

std::string group_text(const Groups& groups, const char* title, const Terminal& terminal) {
  Table table({{.title = title, .least = 12},
               {.title = "ENTRIES", .right = true},
               {.title = "SIZE", .right = true},
               {.title = "COMPILE", .right = true}});
  for (const auto& [value, total] : groups) {
    table.add({value, fmt::format("{}", total.entries), bytes_text(total.bytes), milliseconds_text(total.compile_ms)});
  }
  return table.empty() ? "" : "\n" + table.text(terminal);
}

std::string text_of(const Sums& sums, const std::string& directory, std::uint64_t bound) {
  const Terminal terminal = Terminal::standard_output();
  const std::int64_t today = now();
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += terminal.styled(fmt::format("{:<12}", name), Style::faint) + " " + printable(value) + "\n";
  };
  if (!directory.empty()) line("directory", directory);
  line("entries", fmt::format("{}", sums.all.entries));
  line("size", directory.empty()
                   ? bytes_text(sums.all.bytes)
                   : fmt::format("{}; the directory is bounded to {}", bytes_text(sums.all.bytes), bytes_text(bound)));
  line("machine code", bytes_text(sums.code_bytes));
  // Nothing is saved where nothing is there, or where all came from bundles, which do not say.
  const std::string compile = milliseconds_text(sums.all.compile_ms);
  line("compiled in",
       sums.all.compile_ms <= 0 ? compile : fmt::format("{}, which every start with all of them saves", compile));
  line("used", sums.oldest_use == 0
                   ? "-"
                   : fmt::format("{} to {}", ago_text(sums.oldest_use, today), ago_text(sums.newest_use, today)));
  return text + group_text(sums.by_target, "TARGET", terminal) + group_text(sums.by_compiler, "COMPILER", terminal) +
         group_text(sums.by_tier, "TIER", terminal);
}

}  // namespace

CacheStatsCommand::CacheStatsCommand(CLI::App& app) {
  set_usage(app, "kiln cache stats [OPTIONS]");
  choice_.add_to(app);
  set_footer(
      app,
      R"(Sums over the directory and the read-only tiers; a kernel that several have counts once, where it is found first.
COMPILE is what these kernels took to compile, without those that came from a bundle, which does not say.

Examples:
  kiln cache stats
  kiln cache stats --dir kernels.bundle --json)");
}

int CacheStatsCommand::run() {
  const Cache cache = choice_.cache();
  if (choice_.json()) {
    print_reply({{"command", "cache.stats"}}, cache);
  } else {
    print(text_of(sum(cache.list()), cache.directory(), cache.max_bytes()));
  }
  return kDone;
}

CachePathCommand::CachePathCommand(CLI::App& app) {
  set_usage(app, "kiln cache path [OPTIONS]");
  choice_.add_to(app);
  set_footer(
      app,
      R"help(The directory need not be there yet: the first kernel that is compiled makes it. Status 1 where there is none, because
it was switched off or refused.

Example:
  du -sh "$(kiln cache path)")help");
}

int CachePathCommand::run() {
  const std::string directory = choice_.cache().directory();
  if (choice_.json()) {
    print_reply({{"command", "cache.path"}}, choice_.cache());
  } else if (!directory.empty()) {
    print(directory + "\n");
  }
  if (!directory.empty()) return kDone;
  throw CacheError(
      "there is no cache directory: KILN_CACHE_DIR is empty, or the directory was refused (the line above says why)");
}

}  // namespace kiln::tool

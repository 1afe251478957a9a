#include "cache_list_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "options.hpp"
#include "output.hpp"
#include "table.hpp"
#include "units.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

std::string table_text(const std::vector<cache::Entry>& entries) {
  Table table({{.title = "ID"},
               {.title = "KERNEL", .least = 8},
               {.title = "SIGNATURE", .least = 8},
               {.title = "VARIANT", .least = 8},
               {.title = "TARGET", .least = 6},
               {.title = "SIZE", .right = true},
               {.title = "COMPILE", .right = true},
               {.title = "HITS", .right = true},
               {.title = "USED", .right = true}});
  std::vector<std::string> ids;
  for (const cache::Entry& entry : entries) ids.push_back(entry.id);
  const std::size_t digits = id_digits(std::move(ids));
  const std::int64_t today = now();
  for (const cache::Entry& entry : entries) {
    table.add({entry.id.substr(0, digits), entry.kernel, entry.signature, entry.variant.empty() ? "-" : entry.variant,
               entry.target, bytes_text(entry.bytes), milliseconds_text(entry.compile_ms), fmt::format("{}", entry.hits),
               age_text(entry.used, today)});
  }
  return table.text(Terminal::standard_output());
}

}  // namespace

CacheListCommand::CacheListCommand(CLI::App& app) {
  set_usage(app, "kiln cache list [OPTIONS]");
  add_text_with_default(app, "--sort", sort_, "By name, size (largest first), age (longest unused first) or hits (most first)",
                        "ORDER");
  filter_.add_to(app);
  add_flag(app, "-q,--quiet", quiet_, "Print the ids alone, whole");
  choice_.add_to(app);
  set_footer(
      app,
      R"(Columns: ID is the first digits, by which `kiln cache show` and `kiln inspect` know it. VARIANT distinguishes it from other kernels
of that signature; '-': an older kiln wrote it. SIZE is the file's. COMPILE is the time that it took; '-': it came from a bundle.
HITS counts how often programs found it on the disk, at most once in ten minutes. USED is how long ago that was.

Examples:
  kiln cache list --sort size
  kiln cache list --kernel 'sax*' --target sm_90,gfx90a
  kiln cache list --json | jq '.entries[].kernel'
  kiln cache list --dir kernels.bundle)");
}

int CacheListCommand::run() {
  const auto* const order =
      std::find_if(std::begin(kOrders), std::end(kOrders), [&](const ListOrder& each) { return each.name == sort_; });
  if (order == std::end(kOrders)) throw UsageError(fmt::format("unknown --sort \"{}\": name, size, age or hits", sort_));
  const Cache cache = choice_.cache();
  std::vector<cache::Entry> entries = filter_.of(cache.list());
  std::stable_sort(entries.begin(), entries.end(), order->before);
  if (choice_.json()) {
    std::vector<std::string> ids;
    for (const cache::Entry& entry : entries) ids.push_back(entry.id);
    print_reply({{"command", "cache.list"}, {"ids", std::move(ids)}}, cache);
  } else if (quiet_) {
    std::string text;
    for (const cache::Entry& entry : entries) text += entry.id + "\n";
    print(text);
  } else {
    print(table_text(entries));
  }
  return kDone;
}

}  // namespace kiln::tool

#include "cache_command.hpp"

#include "cache_bundle_commands.hpp"
#include "cache_explain_command.hpp"
#include "cache_list_command.hpp"
#include "cache_remove_commands.hpp"
#include "cache_show_command.hpp"
#include "cache_stats_command.hpp"
#include "cache_verify_command.hpp"
#include "options.hpp"
#include "output.hpp"

namespace kiln::tool {
namespace {

constexpr CommandRow kCacheCommands[] = {
    {"list", "List the compiled kernels", &make_command<CacheListCommand>},
    {"show", "Show all that is known of one", &make_command<CacheShowCommand>},
    {"stats", "Sum up: how many, how large, for what", &make_command<CacheStatsCommand>},
    {"path", "Print the directory", &make_command<CachePathCommand>},
    {"verify", "Read every file and compare its checksum", &make_command<CacheVerifyCommand>},
    {"prune", "Remove what has not been used for long, or down to a size", &make_command<CachePruneCommand>},
    {"clear", "Remove everything", &make_command<CacheClearCommand>},
    {"explain", "Say for each kernel of a manifest whether it is there, or what differs", &make_command<CacheExplainCommand>},
    {"export", "Write kernels to one portable file, a bundle", &make_command<CacheExportCommand>},
    {"import", "Put a bundle's kernels into the cache", &make_command<CacheImportCommand>},
};

}  // namespace

CacheCommand::CacheCommand(CLI::App& app) : app_(app), commands_(app, kCacheCommands) {
  set_usage(app, "kiln cache COMMAND [OPTIONS]");
  set_footer(app, R"(Every command takes --dir DIR, for another cache than the process's own, and --json.

Examples:
  kiln cache list --sort size
  kiln cache show 3f2a
  kiln cache prune --older-than 30d
  kiln cache export kernels.bundle --target sm_90

Exit status: 0 done, 1 something failed, or what was looked for is not there (`show`, `export`), missed (`explain`) or faulty
(`verify`), 2 the command line is wrong.
KILN_CACHE_DIR is the directory, else $XDG_CACHE_HOME/kiln, else ~/.cache/kiln; KILN_CACHE_MAX_BYTES its bound;
KILN_CACHE_READONLY_DIRS further directories and bundles, which are read and never written. NO_COLOR: no colours.)");
}

int CacheCommand::run() {
  if (Command* const command = commands_.chosen()) return command->run();
  print(help_of(app_));
  return kDone;
}

}  // namespace kiln::tool

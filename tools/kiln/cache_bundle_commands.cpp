#include "cache_bundle_commands.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "kiln/error.hpp"
#include "operand.hpp"
#include "options.hpp"
#include "output.hpp"
#include "units.hpp"
#include "usage_error.hpp"

namespace kiln::tool {

CacheExportCommand::CacheExportCommand(CLI::App& app) {
  set_usage(app, "kiln cache export [OPTIONS] BUNDLE");
  add_text(app, "BUNDLE", bundle_, "The file to write", "FILE");
  filter_.add_to(app);
  choice_.add_to(app);
  set_footer(
      app,
      R"(Writes kernels of every tier to one file, which appears whole or not at all, in place of an old one. The same kernels give the
same bytes, on every machine: when they were compiled and used is left out. The file can be imported elsewhere, or named in
KILN_CACHE_READONLY_DIRS as it is.

Examples:
  kiln cache export kernels.bundle
  kiln cache export hopper.bundle --target sm_90 --kernel 'attention_*'
  KILN_CACHE_READONLY_DIRS=/opt/app/kernels.bundle ./app)");
}

int CacheExportCommand::run() {
  if (bundle_.empty()) throw UsageError("no bundle: give the file to write");
  if (is_standard_stream(bundle_)) {
    throw UsageError("a bundle is not written to standard output: give the file to write (./- for one of that name)");
  }
  const Cache cache = choice_.cache();
  std::vector<std::string> ids;
  if (filter_.any()) {
    for (const cache::Entry& entry : filter_.of(cache.list())) ids.push_back(entry.id);
    if (ids.empty()) throw CacheError(fmt::format("nothing to export: the cache has no entry for {}", filter_.text()));
  }
  if (choice_.json()) {
    print_reply({{"command", "cache.export"}, {"bundle", bundle_}, {"ids", ids}}, cache);
    return kDone;
  }
  const cache::BundleReport report = cache.export_bundle(bundle_, ids);
  print(fmt::format("wrote {} to {} ({})\n", entries_text(report.entries), bundle_, bytes_text(report.bytes)));
  return kDone;
}

CacheImportCommand::CacheImportCommand(CLI::App& app) {
  set_usage(app, "kiln cache import [OPTIONS] BUNDLE");
  add_text(app, "BUNDLE", bundle_, "The file to read", "FILE");
  choice_.add_to(app);
  set_footer(
      app,
      R"(The whole file is verified before the first kernel is put into the directory; entries that are there already stay as they are.
A bundle holds machine code that programs will run: import those of people whose programs you would run.

Example:
  kiln cache import kernels.bundle)");
}

int CacheImportCommand::run() {
  if (bundle_.empty()) throw UsageError("no bundle: give the file to read");
  const Cache cache = choice_.writable(true);
  if (choice_.json()) {
    print_reply({{"command", "cache.import"}, {"bundle", bundle_}}, cache);
    return kDone;
  }
  const cache::BundleReport report = cache.import_bundle(bundle_);
  print(fmt::format("added {} of {}, {} {} there already\n", report.entries - report.already, entries_text(report.entries),
                    report.already, report.already == 1 ? "was" : "were"));
  return kDone;
}

}  // namespace kiln::tool

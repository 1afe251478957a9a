#include "c/cache.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "c/argument_error.hpp"
#include "c/guard.hpp"
#include "c/text.hpp"
#include "c/values.hpp"
#include "command/json.hpp"
#include "kiln/cache.hpp"
#include "kiln/command.hpp"
#include "manifest/node.hpp"

namespace kiln::c {
namespace {

CacheOptions cache_options(const std::string& text) {
  const std::string name = "options";
  const manifest::Json json = manifest::parse_json(text, name);
  const manifest::Node node(json, name);
  node.check_members({"directory", "read_only", "max_bytes", "memory_bytes", "wait_ms"});
  CacheOptions options;
  const auto bytes = [](const manifest::Node& given) { return static_cast<std::uint64_t>(given.integer(0, INT64_MAX)); };
  if (const auto given = node.find("directory")) options.directory = given->word();
  if (const auto given = node.find("read_only")) {
    for (const manifest::Node& each : given->list()) options.read_only.push_back(each.word());
  }
  if (const auto given = node.find("max_bytes")) options.max_bytes = bytes(*given);
  if (const auto given = node.find("memory_bytes")) options.memory_bytes = bytes(*given);
  if (const auto given = node.find("wait_ms")) options.wait = std::chrono::milliseconds(given->integer(0, INT32_MAX));
  return options;
}

}  // namespace
}  // namespace kiln::c

using namespace kiln::c;
using kiln::command::Json;
using kiln::command::text_of;
using kiln::command::to_json;

kiln_status kiln_cache_open(kiln_cache** cache, const char* options, kiln_error** error) noexcept {
  return guarded(error, cache, [&] {
    kiln_cache*& made = output(cache, "cache");
    made = make<kiln_cache>(kiln::Cache(options != nullptr ? cache_options(options) : kiln::CacheOptions{}));
  });
}

kiln_status kiln_cache_statistics(const kiln_cache* cache, kiln_cache_stats* stats, kiln_error** error) noexcept {
  return guarded(error, [&] {
    if (stats == nullptr) fail_null("stats");
    const kiln::cache::Stats counted = cache_of(cache).stats();
    kiln_cache_stats filled = kiln_cache_stats_default();
    filled.memory_hits = counted.memory_hits;
    filled.disk_hits = counted.disk_hits;
    filled.read_only_hits = counted.read_only_hits;
    filled.compiles = counted.compiles;
    filled.failures = counted.failures;
    filled.bytes_read = counted.bytes_read;
    filled.bytes_written = counted.bytes_written;
    filled.memory_bytes = counted.memory_bytes;
    filled.compile_ms = counted.compile_ms;
    filled.saved_ms = counted.saved_ms;
    fill_struct(stats, &filled, sizeof filled, sizeof filled, "kiln_cache_stats");
  });
}

kiln_status kiln_cache_export(kiln_text** bundle, const kiln_cache* cache, const char* const* ids, size_t count,
                              kiln_error** error) noexcept {
  return guarded(error, bundle, [&] {
    kiln_text*& made = output(bundle, "bundle");
    if (count != 0 && ids == nullptr) fail_null("ids");
    std::vector<std::string> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(string_of(ids[i], "ids"));
    made = make<kiln_text>(kiln::cache::export_bytes(cache_of(cache), list));
  });
}

kiln_status kiln_cache_import(const kiln_cache* cache, const void* bundle, size_t length, kiln_error** error) noexcept {
  return guarded(error, [&] {
    if (bundle == nullptr) fail_null("bundle");
    if (length > std::size_t{PTRDIFF_MAX}) throw ArgumentError(fmt::format("length: {} bytes", length), "length");
    kiln::cache::import_bytes(cache_of(cache), {static_cast<const char*>(bundle), length});
  });
}

void kiln_cache_release(kiln_cache* cache) noexcept {
  release(cache);
}

kiln_status kiln_manifest_compile(kiln_text** report, const char* manifest, size_t length, const char* target,
                                  const kiln_cache* cache, kiln_error** error) noexcept {
  return guarded(error, report, [&] {
    kiln_text*& made = output(report, "report");
    Json request{{"command", "compile"}, {"manifest", string_of(manifest, length, "manifest")}};
    std::string list = string_of(target, "target") + ",";
    for (std::size_t begin = 0, end = 0; (end = list.find(',', begin)) != std::string::npos; begin = end + 1) {
      if (end != begin) request["targets"].push_back(list.substr(begin, end - begin));
    }
    if (!request.contains("targets")) throw ArgumentError("target: no target is given: \"native\", \"sm_90,gfx942\"", "target");
    made = make<kiln_text>(kiln::run_command(request.dump(), cache_of(cache)));
  });
}

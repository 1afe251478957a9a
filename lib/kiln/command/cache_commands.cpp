// Commands of the cache, and of manifests.
#include <algorithm>
#include <chrono>
#include <map>

#include "command/commands.hpp"

namespace kiln::command {
namespace {

using manifest::Node;

Json list(const Node& request, const Cache& cache) {
  const std::vector<cache::Entry> entries = cache.list();
  Json json = Json::array();
  if (!request.has("ids")) {
    for (const cache::Entry& entry : entries) json.push_back(to_json(entry));
    return {{"entries", std::move(json)}};
  }
  for (const std::string& id : words(request, "ids")) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const cache::Entry& entry) { return entry.id == id; });
    if (found != entries.end()) json.push_back(to_json(*found));
  }
  return {{"entries", std::move(json)}};
}

Json show(const Node& request, const Cache& cache) {
  const Node id = request.at("id");
  const auto contents = cache.find(id.word());
  if (!contents) id.fail("no entry's id begins with " + id.word());
  return to_json(*contents);
}

struct Total {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  double compile_ms = 0;
  void add(const cache::Entry& entry) {
    ++entries;
    bytes += entry.bytes;
    compile_ms += entry.compile_ms;
  }
};
using Groups = std::map<std::string, Total>;

Json group_json(const Groups& groups, const char* name) {
  Json json = Json::array();
  for (const auto& [value, total] : groups) {
    json.push_back({{name, value}, {"entries", total.entries}, {"bytes", total.bytes}, {"compile_ms", total.compile_ms}});
  }
  return json;
}

Json stats(const Node& /*request*/, const Cache& cache) {
  Total all;
  std::uint64_t code_bytes = 0;
  std::int64_t oldest = 0;
  std::int64_t newest = 0;
  Groups by_target;
  Groups by_compiler;
  Groups by_tier;
  for (const cache::Entry& entry : cache.list()) {
    all.add(entry);
    code_bytes += entry.code_bytes;
    by_target[entry.target].add(entry);
    by_compiler[entry.compiler].add(entry);
    by_tier[entry.tier].add(entry);
    if (entry.used == 0) continue;
    oldest = oldest == 0 ? entry.used : std::min(oldest, entry.used);
    newest = std::max(newest, entry.used);
  }
  return {{"directory", cache.directory()},
          {"max_bytes", cache.max_bytes()},
          {"entries", all.entries},
          {"bytes", all.bytes},
          {"code_bytes", code_bytes},
          {"compile_ms", all.compile_ms},
          {"oldest_use", oldest},
          {"newest_use", newest},
          {"by_target", group_json(by_target, "target")},
          {"by_compiler", group_json(by_compiler, "compiler")},
          {"by_tier", group_json(by_tier, "tier")}};
}

Json path(const Node& /*request*/, const Cache& cache) {
  return {{"directory", cache.directory()}};
}

Json explained(const ManifestKernel& kernel, const cache::Explanation& explanation) {
  Json json{{"kernel", kernel.kernel}, {"signature", kernel.signature}, {"variant", kernel.variant}, {"target", kernel.target},
            {"where", kernel.where},   {"id", explanation.id},          {"hit", explanation.hit}};
  if (explanation.hit) {
    json["tier"] = explanation.tier;
    return json;
  }
  json["reason"] = cache::name(explanation.reason);
  json["nearest"] = explanation.nearest.empty() ? Json(nullptr) : Json(explanation.nearest);
  json["differences"] = Json::array();
  for (const cache::Difference& difference : explanation.differences) {
    json["differences"].push_back({{"field", difference.field}, {"wanted", difference.wanted}, {"found", difference.found}});
  }
  return json;
}

std::vector<std::string> targets_of(const Node& request) {
  std::vector<std::string> targets = words(request, "targets");
  if (targets.empty()) targets.emplace_back("native");
  return targets;
}

Json explain(const Node& request, const Cache& cache) {
  const Manifest manifest = manifest_of(request);
  Json kernels = Json::array();
  std::size_t hits = 0;
  for (const std::string& target : targets_of(request)) {
    for (const ManifestKernel& kernel : manifest.kernels(target, false)) {
      const cache::Explanation explanation = cache.explain(kernel.key);
      hits += explanation.hit ? 1 : 0;
      kernels.push_back(explained(kernel, explanation));
    }
  }
  return {{"hits", hits}, {"misses", kernels.size() - hits}, {"kernels", std::move(kernels)}};
}

Json faults_json(const std::vector<cache::Verification::Fault>& faults) {
  Json json = Json::array();
  for (const auto& fault : faults) json.push_back({{"path", fault.path}, {"reason", fault.reason}, {"mended", fault.mended}});
  return json;
}

Json verify(const Node& request, const Cache& cache) {
  const auto fix = request.find("fix");
  const cache::Verification found = cache.verify(fix && fix->flag());
  return {{"entries", found.entries},
          {"bytes", found.bytes},
          {"other_format", found.other_format},
          {"tuned", found.tuned},
          {"faults", faults_json(found.faults)},
          {"not_used", faults_json(found.not_used)}};
}

Json removal_json(const cache::Removal& removed) {
  return {{"entries", removed.entries}, {"bytes", removed.bytes}};
}

Json prune(const Node& request, const Cache& cache) {
  std::optional<std::uint64_t> max_bytes;
  std::optional<std::chrono::seconds> older_than;
  if (const auto given = request.find("max_bytes")) max_bytes = static_cast<std::uint64_t>(given->integer(0, INT64_MAX));
  if (const auto given = request.find("older_than_s")) older_than = std::chrono::seconds(given->integer(0, INT32_MAX));
  return removal_json(cache.prune(max_bytes, older_than));
}

Json clear(const Node& /*request*/, const Cache& cache) {
  return removal_json(cache.clear());
}

Json export_bundle(const Node& request, const Cache& cache) {
  const std::string bundle = request.at("bundle").word();
  const cache::BundleReport report = cache.export_bundle(bundle, words(request, "ids"));
  return {{"bundle", bundle}, {"entries", report.entries}, {"bytes", report.bytes}};
}

Json import_bundle(const Node& request, const Cache& cache) {
  const std::string bundle = request.at("bundle").word();
  const cache::BundleReport report = cache.import_bundle(bundle);
  return {{"bundle", bundle},
          {"entries", report.entries},
          {"added", report.entries - report.already},
          {"already", report.already},
          {"bytes", report.bytes}};
}

Json compile(const Node& request, const Cache& cache) {
  Json kernels = Json::array();
  Manifest::CompileOptions options{.cache = cache,
                                   .progress = [&](const ManifestKernel& kernel, const ManifestOutcome& outcome) {
                                     kernels.push_back(to_json(kernel, outcome));
                                     return true;
                                   }};
  if (const auto jobs = request.find("jobs")) options.jobs = static_cast<int>(jobs->integer(0, 1024));
  if (const auto exact = request.find("exact")) options.other_sizes = !exact->flag();
  const Manifest::CompileReport report = manifest_of(request).compile(targets_of(request), options);
  return {{"found", report.found},
          {"compiled", report.compiled},
          {"failed", report.failed},
          {"not_kept", report.not_kept},
          {"kernels", std::move(kernels)}};
}

constexpr Command kCacheCommands[] = {{"cache.list", {"ids"}, list},
                                      {"cache.show", {"id"}, show},
                                      {"cache.stats", {}, stats},
                                      {"cache.path", {}, path},
                                      {"cache.explain", {"manifest", "targets"}, explain},
                                      {"cache.verify", {"fix"}, verify},
                                      {"cache.prune", {"max_bytes", "older_than_s"}, prune},
                                      {"cache.clear", {}, clear},
                                      {"cache.export", {"bundle", "ids"}, export_bundle},
                                      {"cache.import", {"bundle"}, import_bundle},
                                      {"compile", {"manifest", "targets", "jobs", "exact"}, compile}};

}  // namespace

std::span<const Command> cache_commands() noexcept {
  return kCacheCommands;
}

}  // namespace kiln::command

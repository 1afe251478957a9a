#include "manifest/document.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::manifest {

std::vector<Entry> parse_document(std::string_view text, const std::string& name, const std::string& folder) {
  const Json json = parse_json(text, name);
  const Node root(json, name);
  // A file of something else is recognized by what it lacks, not by what it has.
  const Node version = root.at("kiln_manifest");
  if (version.json() != kFormatVersion) {
    version.fail(fmt::format("format version {}; this kiln reads version {}", version.json().dump(), kFormatVersion));
  }
  root.check_members({"$schema", "kiln_manifest", "kernels"});
  if (const auto schema = root.find("$schema")) static_cast<void>(schema->word());
  std::vector<Entry> entries;
  std::map<std::string, std::string> known;
  for (const Node& node : root.at("kernels").list()) {
    entries.push_back(kind_of(node).read(node, folder));
    const auto [same, fresh] = known.emplace(entries.back().json.dump(), node.path());
    if (!fresh) node.fail("the same kernel as " + same->second);
  }
  return entries;
}

std::string document_text(std::vector<Json> kernels) {
  for (Json& kernel : kernels) {
    if (const auto calls = kernel.find("calls"); calls != kernel.end()) std::sort(calls->begin(), calls->end());
  }
  std::vector<std::pair<std::string, Json>> sorted;
  for (Json& kernel : kernels) {
    // In CuPy's notation a kernel may have none.
    const Json name = kernel.value("name", Json(""));
    sorted.emplace_back(name.dump() + kernel.dump(), std::move(kernel));
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  nlohmann::ordered_json root{{"kiln_manifest", kFormatVersion}, {"kernels", nlohmann::ordered_json::array()}};
  for (const auto& [order, kernel] : sorted) root["kernels"].push_back(nlohmann::ordered_json(kernel));
  return root.dump(2) + "\n";
}

bool KernelSet::add(const Json& kernel) {
  const auto listed = kernel.find("calls");
  if (listed == kernel.end()) return others_.insert(kernel.dump()).second;
  Json definition = kernel;
  definition.erase("calls");
  std::set<std::string>& known = recorded_[definition.dump()];
  const std::size_t before = known.size();
  for (const Json& call : *listed) known.insert(call.dump());
  calls_ += known.size() - before;
  return known.size() > before;
}

std::vector<Json> KernelSet::kernels() const {
  std::vector<Json> all;
  for (const auto& [definition, calls] : recorded_) {
    Json kernel = Json::parse(definition);
    for (const std::string& text : calls) kernel["calls"].push_back(Json::parse(text));
    all.push_back(std::move(kernel));
  }
  for (const std::string& kernel : others_) all.push_back(Json::parse(kernel));
  return all;
}

}  // namespace kiln::manifest

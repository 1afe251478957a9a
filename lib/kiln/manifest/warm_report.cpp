// The public parts of warm() beside Warming.
#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "kiln/warm.hpp"
#include "manifest/document.hpp"
#include "manifest/node.hpp"

namespace kiln {

namespace {

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::string to_string(const WarmReport& report) {
  const auto compilers = std::ranges::count_if(report.ranks, [](const WarmRank& rank) { return rank.compiled > 0; });
  return fmt::format("{} for {}: {} compiled by {}, {} found, {:.1f} MB sent, {:.1f} s", counted(report.kernels, "kernel"),
                     counted(report.ranks.size(), "rank"), report.compiled.size(),
                     counted(static_cast<std::size_t>(compilers), "rank"), report.found,
                     static_cast<double>(report.bytes) / 1e6, report.seconds);
}

Manifest manifest_of(const std::vector<AnyFunction>& functions) {
  std::vector<manifest::Json> kernels;
  for (const AnyFunction& function : functions) {
    const std::string text = std::visit([](const auto& each) { return definition_text(each); }, function);
    kernels.push_back(manifest::parse_json(text, "functions"));
  }
  const manifest::Json document{{"kiln_manifest", manifest::kFormatVersion}, {"kernels", kernels}};
  return Manifest::parse(document.dump(), "functions");
}

}  // namespace kiln

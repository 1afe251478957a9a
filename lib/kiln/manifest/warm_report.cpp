// The public parts of warm() beside Warming.
#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "kiln/warm.hpp"
#include "manifest/document.hpp"
#include "manifest/node.hpp"

namespace kiln {

std::string to_string(const WarmReport& report) {
  const auto compilers = std::ranges::count_if(report.ranks, [](const WarmRank& rank) { return rank.compiled > 0; });
  return fmt::format("{} kernels for {} ranks: {} compiled by {} ranks, {} found, {:.1f} MB sent, {:.1f} s", report.kernels,
                     report.ranks.size(), report.compiled.size(), compilers, report.found,
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

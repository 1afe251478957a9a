#include "cache_explain_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "kiln/manifest.hpp"
#include "manifest_file.hpp"
#include "options.hpp"
#include "output.hpp"
#include "target_option.hpp"
#include "terminal.hpp"
#include "units.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

struct ExplainedKernel {
  ManifestKernel kernel;
  cache::Explanation explanation;
};

/// "    compiler: wanted NVRTC 13.0" and "              found NVRTC 12.8"; texts of several lines stand below.
std::string difference_text(const cache::Difference& difference, const Terminal& terminal) {
  const std::string field = printable(difference.field);
  const auto value = [&](std::string_view label, const std::string& text, Style style) {
    const std::string safe = printable(text, true);
    if (safe.find('\n') == std::string::npos) return fmt::format("      {} {}\n", label, terminal.styled(safe, style));
    std::string lines = fmt::format("      {}\n", label);
    for (std::size_t at = 0; at < safe.size();) {
      const std::size_t end = std::min(safe.find('\n', at), safe.size());
      lines += "        " + terminal.styled(safe.substr(at, end - at), style) + "\n";
      at = end + 1;
    }
    return lines;
  };
  return fmt::format("    {}\n", field) + value("wanted", difference.wanted, Style::good) +
         value("found ", difference.found, Style::bad);
}

std::string explanation_text(const ExplainedKernel& explained, const Terminal& terminal) {
  const auto& [kernel, explanation] = explained;
  std::string text = terminal.styled(explanation.hit ? "hit " : "miss", explanation.hit ? Style::good : Style::bad);
  text += printable(fmt::format("  {}  {}  {}  {}", kernel.kernel, kernel.signature, kernel.variant, kernel.target));
  if (explanation.hit) return text + terminal.styled("  " + printable(explanation.tier), Style::faint) + "\n";
  text += fmt::format("  {}", cache::name(explanation.reason));
  if (explanation.nearest.empty()) return text + "; no entry of this kernel\n";
  text += fmt::format("; nearest is {}, which differs in\n", explanation.nearest.substr(0, 12));
  for (const cache::Difference& difference : explanation.differences) text += difference_text(difference, terminal);
  return text;
}

}  // namespace

CacheExplainCommand::CacheExplainCommand(CLI::App& app) {
  set_usage(app, "kiln cache explain [OPTIONS] MANIFEST");
  add_text(app, "MANIFEST", manifest_, "The manifest", "FILE");
  add_target_option(app, targets_, "For this target (native): sm_90, gfx90a, x86-64-v3; commas separate several");
  choice_.add_to(app);
  set_footer(
      app,
      R"(For each kernel of a manifest: a hit, or a miss and which fields of its key differ from the entry that is most like it. Nothing
is compiled. KILN_RECORD=manifest.json lets a program write down what it uses; `kiln compile MANIFEST` makes hits of misses.
Status 1 where anything is a miss.

Examples:
  kiln cache explain manifest.json
  kiln cache explain manifest.json --target sm_90,gfx90a --json)");
}

int CacheExplainCommand::run() {
  if (manifest_.empty()) throw UsageError("no manifest: give its file, or '-' for standard input");
  const Cache cache = choice_.cache();
  const Manifest manifest = read_manifest(manifest_);
  if (choice_.json()) {
    const auto reply = print_reply(
        {{"command", "cache.explain"}, {"manifest", manifest.text()}, {"targets", unique_targets(targets_)}}, cache);
    return reply["misses"] == 0 ? kDone : kFailed;
  }
  std::vector<ExplainedKernel> kernels;
  for (const std::string& target : unique_targets(targets_)) {
    for (ManifestKernel& kernel : kernels_of(manifest, target)) {
      cache::Explanation explanation = cache.explain(kernel.key);
      kernels.push_back({std::move(kernel), std::move(explanation)});
    }
  }
  const auto hits = static_cast<std::size_t>(std::count_if(
      kernels.begin(), kernels.end(), [](const ExplainedKernel& explained) { return explained.explanation.hit; }));
  const Terminal terminal = Terminal::standard_output();
  std::string text;
  for (const ExplainedKernel& explained : kernels) text += explanation_text(explained, terminal);
  print(text + fmt::format("{} of {} found\n", hits, kernels.size()));
  return hits == kernels.size() ? kDone : kFailed;
}

}  // namespace kiln::tool

#include "cache/tier.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cache/bundle_tier.hpp"
#include "cache/directory_tier.hpp"

namespace kiln::cache {

void shorten(Info* info) {
  constexpr std::size_t kLongest = 1000;  // a listing holds many of them
  info->body.clear();
  for (std::string* shown : {&info->kernel, &info->kind, &info->signature, &info->variant, &info->target, &info->compiler}) {
    if (shown->size() > kLongest) shown->resize(kLongest);
    shown->shrink_to_fit();
  }
}

std::vector<TunedShape> Tier::tuning(const std::string& /*digest*/, Flaw* /*why*/) const {
  return {};
}

OpenedTier open_read_only_tier(const std::string& path, const Log& log) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) return open_bundle_tier(path, log);
  const Verdict verdict = check_read_only_tier(path);
  if (verdict.trust == Trust::refused && log) {
    log(fmt::format("read-only cache directory {} is not used: {}", path, verdict.reason));
  }
  if (verdict.trust != Trust::trusted) return {verdict.trust, nullptr};
  return {Trust::trusted, std::make_unique<DirectoryTier>(path, Owners{.self = false, .directory_owner = verdict.owner})};
}

}  // namespace kiln::cache

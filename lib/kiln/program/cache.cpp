// The public handle: what it keeps, and what looks through it.
#include "kiln/cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/log.hpp"
#include "cache/eviction.hpp"
#include "cache/explanation.hpp"
#include "cache/key.hpp"
#include "cache/verification.hpp"
#include "kiln/error.hpp"
#include "program/cache_impl.hpp"
#include "program/tuning.hpp"

namespace kiln {
namespace {

using cache::Tier;

cache::Entry entry_of(cache::Listed listed, const std::string& tier) {
  return {.id = std::move(listed.digest),
          .kernel = std::move(listed.info.kernel),
          .kind = std::move(listed.info.kind),
          .signature = std::move(listed.info.signature),
          .variant = std::move(listed.info.variant),
          .target = std::move(listed.info.target),
          .compiler = std::move(listed.info.compiler),
          .bytes = listed.bytes,
          .code_bytes = listed.code_bytes,
          .compile_ms = listed.info.compile_ms,
          .created = listed.info.created_unix,
          .used = listed.used,
          .hits = listed.hits,
          .tier = tier};
}

// Entries of before the description held them have them in the key alone.
void complete(cache::Entry* entry, const Tier& tier) {
  if (!entry->target.empty() && !entry->compiler.empty()) return;
  const auto text = tier.key(entry->id);
  const auto key = text ? cache::parse_key(*text) : std::nullopt;
  if (!key) return;
  entry->target = key->target.substr(0, key->target.find(' '));  // of a CPU's without its features
  entry->compiler = key->compiler;
}

std::vector<cache::Entry> list_tiers(const std::vector<const Tier*>& tiers) {
  std::vector<cache::Entry> all;
  std::unordered_set<std::string> seen;  // of the tiers but the last
  for (const Tier* tier : tiers) {
    std::vector<cache::Listed> heads = tier->heads();
    all.reserve(all.size() + heads.size());
    for (cache::Listed& head : heads) {
      if (seen.contains(head.digest)) continue;
      if (tier != tiers.back()) seen.insert(head.digest);
      all.push_back(entry_of(std::move(head), tier->path()));
      complete(&all.back(), *tier);
    }
  }
  return all;
}

// Nothing where another process has removed the entry since it was read.
std::optional<cache::Contents> contents_of(const std::string& digest, const Tier& tier, cache::Stored stored) {
  auto head = tier.head(digest);
  if (!head) return std::nullopt;
  cache::Contents contents;
  contents.entry = entry_of(*std::move(head), tier.path());
  complete(&contents.entry, tier);
  if (auto key = cache::parse_key(stored.key)) contents.source = std::move(key->source);
  contents.body = std::move(stored.record.info.body);
  contents.key = std::move(stored.key);
  contents.code = std::move(stored.record.payload);
  contents.report = std::move(stored.record.info.report);
  return contents;
}

struct Nearest {
  std::string digest;
  std::vector<cache::Difference> differences;
};

// Among entries of that kernel's name.
Nearest nearest_to(const cache::Key& wanted, const std::string& digest, const std::vector<const Tier*>& tiers,
                   detail::CacheImpl& impl) {
  Nearest nearest;
  const std::string name = cache::kernel_name_in(wanted.source);
  if (name.empty()) return nearest;
  const auto listing = impl.recent_listing([&] { return list_tiers(tiers); });
  const auto same = listing->by_kernel.find(name);
  if (same == listing->by_kernel.end()) return nearest;
  for (const cache::Entry& entry : same->second) {
    if (entry.id == digest) continue;
    const auto tier = std::find_if(tiers.begin(), tiers.end(), [&](const Tier* each) { return each->path() == entry.tier; });
    const auto text = tier == tiers.end() ? std::nullopt : (*tier)->key(entry.id);
    const auto key = text ? cache::parse_key(*text) : std::nullopt;
    if (!key) continue;
    auto differences = cache::differences(wanted, *key);
    // Of equals the first by id, whatever the order of the files.
    const bool nearer = nearest.digest.empty() || std::pair(differences.size(), std::string_view(entry.id)) <
                                                      std::pair(nearest.differences.size(), std::string_view(nearest.digest));
    if (nearer) nearest = {entry.id, std::move(differences)};
  }
  return nearest;
}

cache::Removal removal_of(const cache::Swept& swept) {
  if (!swept.failure.empty()) throw IoError(swept.failure);
  return {.entries = swept.removed, .bytes = swept.removed_bytes};
}

}  // namespace

Cache::Cache() noexcept = default;
Cache::Cache(const CacheOptions& options) : impl_(std::make_shared<detail::CacheImpl>(options)) {}
Cache::Cache(std::shared_ptr<detail::CacheImpl> impl) noexcept : impl_(std::move(impl)) {}

std::string Cache::directory() const {
  const cache::DiskStore* const store = program::impl_of(*this).store();
  return store == nullptr ? std::string() : store->directory();
}

std::uint64_t Cache::max_bytes() const {
  const cache::DiskStore* const store = program::impl_of(*this).store();
  return store == nullptr ? 0 : store->max_bytes();
}

cache::Stats Cache::stats() const noexcept {
  detail::CacheImpl* const impl = impl_ != nullptr ? impl_.get() : program::process_cache_if_used();
  return impl == nullptr ? cache::Stats{} : impl->builder().stats();
}

std::vector<cache::Entry> Cache::list() const {
  std::vector<cache::Entry> all = list_tiers(program::impl_of(*this).tiers());
  std::sort(all.begin(), all.end(),
            [](const cache::Entry& a, const cache::Entry& b) { return std::tie(a.kernel, a.id) < std::tie(b.kernel, b.id); });
  return all;
}

std::optional<cache::Contents> Cache::find(std::string_view id) const {
  const std::vector<const Tier*> tiers = program::impl_of(*this).tiers();
  std::vector<std::pair<std::string, const Tier*>> matches;
  for (const Tier* tier : tiers) {
    tier->visit_digests(id, [&](const std::string& digest) { matches.emplace_back(digest, tier); });
  }
  // A tier's order among the same digests is kept.
  std::stable_sort(matches.begin(), matches.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (matches.empty()) return std::nullopt;
  if (matches.front().first != matches.back().first) {
    constexpr std::size_t kShown = 10;
    std::vector<std::string> ids;
    for (const auto& match : matches) {
      if (ids.empty() || ids.back() != match.first) ids.push_back(match.first);
    }
    const std::size_t more = ids.size() > kShown ? ids.size() - kShown : 0;
    ids.resize(ids.size() - more);
    throw CacheError(fmt::format("several entries begin with \"{}\": {}{}; write more digits", id, fmt::join(ids, ", "),
                                 more == 0 ? "" : fmt::format(" and {} more", more)));
  }
  cache::Flaw first;
  for (const auto& [digest, tier] : matches) {
    cache::Flaw why;
    if (auto stored = tier->read(digest, &why)) {
      if (auto contents = contents_of(digest, *tier, *std::move(stored))) {
        if (cache::DiskStore* const store = program::impl_of(*this).store(); store != nullptr)
          contents->tuned = store->tuning(digest);
        return contents;
      }
    }
    if (first.reason == cache::Miss::absent) first = why;
  }
  if (first.reason == cache::Miss::absent) return std::nullopt;
  throw IoError(fmt::format("cannot read cache entry {}: {}", matches.front().first, first.text));
}

cache::Explanation Cache::explain(std::string_view text) const {
  const auto key = cache::parse_key(text);
  if (!key) {
    throw CacheError(
        "cannot explain a key that is none: its text must be the canonical JSON of a key, as Contents::key and "
        "ManifestKernel::key hold it");
  }
  const std::string canonical = key->canonical();
  cache::Explanation explanation;
  explanation.id = cache::digest(canonical);
  const std::vector<const Tier*> tiers = program::impl_of(*this).tiers();
  for (const Tier* tier : tiers) {
    const cache::Found found = tier->find(canonical, explanation.id);
    if (found) {
      explanation.hit = true;
      explanation.tier = tier->path();
      return explanation;
    }
    if (explanation.reason == cache::Miss::absent) explanation.reason = found.flaw.reason;
  }
  Nearest nearest = nearest_to(*key, explanation.id, tiers, program::impl_of(*this));
  explanation.nearest = std::move(nearest.digest);
  explanation.differences = std::move(nearest.differences);
  return explanation;
}

cache::Verification Cache::verify(bool fix) const {
  const cache::Folder directory = program::impl_of(*this).open_directory();
  return directory ? cache::verify_directory(directory, fix, &program::tuned_here) : cache::Verification{};
}

cache::Removal Cache::prune(std::optional<std::uint64_t> max_bytes, std::optional<std::chrono::seconds> older_than) const {
  const cache::Folder directory = program::impl_of(*this).open_directory();
  if (!directory) return {};
  return removal_of(cache::remove_entries(directory, {.max_bytes = max_bytes, .older_than = older_than}));
}

cache::Removal Cache::clear() const {
  const cache::Folder directory = program::impl_of(*this).open_directory();
  return directory ? removal_of(cache::remove_entries(directory, {.everything = true})) : cache::Removal{};
}

namespace cache {

void set_log(std::function<void(std::string_view)> callback) {
  base::set_log(std::move(callback));
}

Stats stats() noexcept {
  return Cache().stats();
}

std::string directory() {
  return Cache().directory();
}

std::string_view name(Miss reason) noexcept {
  switch (reason) {
    case Miss::absent:
      return "absent";
    case Miss::damaged:
      return "damaged";
    case Miss::other_format:
      return "other format";
    case Miss::other_key:
      return "other key";
    case Miss::not_trusted:
      return "not trusted";
    case Miss::unreadable:
      return "unreadable";
  }
  return "unknown";
}

}  // namespace cache
}  // namespace kiln

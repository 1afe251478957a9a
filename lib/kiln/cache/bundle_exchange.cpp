#include "cache/bundle_exchange.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "cache/bundle.hpp"
#include "cache/directory_tier.hpp"
#include "cache/key.hpp"
#include "kiln/error.hpp"

namespace kiln::cache {
namespace {

using Sources = std::map<std::string, std::vector<const Tier*>>;  // by digest: who has it, in order

void check(const std::optional<base::FileError>& fault) {
  if (fault) throw IoError(fault->text);
}

Sources sources_of(const std::vector<const Tier*>& tiers, const std::vector<std::string>& digests) {
  Sources sources;
  const auto look_for = [&](std::string_view prefix) {
    for (const Tier* tier : tiers) {
      tier->visit_digests(prefix, [&](const std::string& digest) { sources[digest].push_back(tier); });
    }
  };
  if (digests.empty()) look_for("");
  for (const std::string& digest : digests) {
    if (sources.contains(digest)) continue;
    look_for(digest);
    if (!sources.contains(digest)) throw CacheError(fmt::format("cannot export \"{}\": no entry has that id", digest));
  }
  return sources;
}

// Of the first tier that has it sound.
std::optional<Stored> read_first(const std::string& digest, const std::vector<const Tier*>& tiers, Flaw* flaw) {
  for (const Tier* tier : tiers) {
    Flaw why;
    if (auto stored = tier->read(digest, &why)) return stored;
    if (flaw->reason == Miss::absent) *flaw = why;
  }
  return std::nullopt;
}

// What is wrong with an entry of a bundle, or "". Its key must be one that this kiln could ask for.
std::string examine(const BundleItem& item, std::string_view bytes) {
  Flaw flaw;
  const auto stored = decode_any(bytes, &flaw);
  if (!stored) return flaw.text;
  if (digest(stored->key) != base::to_hex(item.digest)) return "its digest is not that of its key";
  const auto key = parse_key(stored->key);
  if (!key || key->canonical() != stored->key) return "its key is none of this kiln's";
  return {};
}

}  // namespace

BundleReport export_bundle(const std::vector<const Tier*>& tiers, const std::string& path,
                           const std::vector<std::string>& digests, const Log& log) {
  const Sources sources = sources_of(tiers, digests);
  base::FileError error;
  auto writer = BundleWriter::create(path, &error);
  if (!writer) throw IoError(error.text);
  BundleReport report;
  for (const auto& [digest, holders] : sources) {
    Flaw flaw;
    auto stored = read_first(digest, holders, &flaw);
    if (!stored) {
      if (!digests.empty()) {
        throw IoError(fmt::format("cannot export \"{}\": {}", digest, flaw.text.empty() ? "it was removed" : flaw.text));
      }
      if (log && flaw.reason != Miss::absent) log(fmt::format("cache entry {} is not exported: {}", digest, flaw.text));
      continue;
    }
    // What differs from machine to machine for the same kernel.
    stored->record.info.compile_ms = 0;
    stored->record.info.created_unix = 0;
    check(writer->add(*base::from_hex(digest), encode(stored->key, stored->record)));
    ++report.entries;
  }
  check(writer->finish());
  report.bytes = writer->size();
  return report;
}

BundleReport import_bundle(DiskStore& store, const std::string& path) {
  static_cast<void>(store.open_directory());  // throws with the reason where it is refused
  if (store.directory().empty()) throw CacheError("cannot import " + path + ": this cache has no directory");
  base::FileError error;
  const auto bundle = Bundle::open(path, &error);
  if (!bundle) throw IoError(error.text);
  check(bundle->verify(examine));
  if (bundle->size() > store.max_bytes()) {
    throw CacheError(
        fmt::format("cannot import {}: its {} bytes are more than the directory's bound of {}; raise KILN_CACHE_MAX_BYTES, or "
                    "name the bundle in KILN_CACHE_READONLY_DIRS",
                    path, bundle->size(), store.max_bytes()));
  }
  const DirectoryTier own(store.directory(), {.self = true});
  BundleReport report{.entries = bundle->count(), .bytes = bundle->size()};
  for (std::uint64_t i = 0; i < bundle->count(); ++i) {
    const auto item = bundle->item(i, &error);
    const auto bytes = item ? bundle->read(*item, &error) : std::nullopt;
    if (!bytes) throw IoError(error.text);
    // Again: someone may have written to the file since.
    if (const std::string wrong = examine(*item, *bytes); !wrong.empty()) {
      throw IoError(fmt::format("cannot read bundle {}: it changed while it was read: {}", path, wrong));
    }
    auto stored = decode_any(*bytes, nullptr);
    if (own.find(stored->key, base::to_hex(item->digest))) {
      ++report.already;
      continue;
    }
    stored->record.info.compile_ms = 0;
    stored->record.info.created_unix = 0;
    if (store.put(stored->key, stored->record) == 0) {
      throw IoError(fmt::format("cannot import {}: {} of its {} entries are in {}, the next could not be written", path, i,
                                bundle->count(), store.directory()));
    }
  }
  return report;
}

}  // namespace kiln::cache

#include "cache/bundle_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/file.hpp"
#include "cache/bundle.hpp"
#include "cache/directory_tier.hpp"
#include "cache/folder.hpp"
#include "cache/key.hpp"
#include "cache/shards.hpp"
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

/// An entry of a bundle that was found sound.
struct Checked {
  BundleItem item;
  base::Hash128 checksum{};  ///< the one that ends its bytes, by which they are known again
  bool dated = false;        ///< it says when and how long it was compiled
};

/// What is wrong with the entry, or "". Its key must be one that this kiln could ask for.
std::string examine(std::string_view bytes, Checked& entry) {
  Flaw flaw;
  const auto stored = decode_any(bytes, &flaw);
  if (!stored) return flaw.text;
  if (digest(stored->key) != base::to_hex(entry.item.digest)) return "its digest is not that of its key";
  const auto key = parse_key(stored->key);
  if (!key || key->canonical() != stored->key) return "its key is none of this kiln's";
  entry.checksum = *sound_checksum(bytes);
  entry.dated = stored->record.info.compile_ms != 0 || stored->record.info.created_unix != 0;
  return {};
}

/// Those of a folder among entries by ascending digest.
template <class Entries>
auto in_shard(Entries& entries, unsigned shard) {
  const auto of = [](const Checked& entry) { return unsigned{entry.item.digest.front()}; };
  return std::ranges::equal_range(entries, shard, {}, of);
}

/// Reads everything, and gives all entries by ascending digest. The checksum of the whole file is one thread's work, what is in
/// the entries that of several.
std::vector<Checked> check_all(const Bundle& bundle) {
  std::vector<Checked> entries;
  entries.reserve(bundle.count());
  check(bundle.verify([&](const BundleItem& item, std::string_view) {
    entries.push_back({.item = item});
    return std::string();
  }));
  for_each_shard([&](unsigned shard) {
    for (Checked& entry : in_shard(entries, shard)) {
      base::FileError error;
      const auto bytes = bundle.read(entry.item, &error);
      if (!bytes) throw IoError(error.text);
      if (const std::string wrong = examine(*bytes, entry); !wrong.empty()) {
        throw IoError(fmt::format("cannot read bundle {}: entry {} is not sound: {}", bundle.path(),
                                  base::to_hex(entry.item.digest), wrong));
      }
    }
  });
  return entries;
}

/// Puts the entries of a bundle into a directory, several folders at once.
class Import {
 public:
  Import(DiskStore& store, const Bundle& bundle)
      : store_(store), bundle_(bundle), own_(store.directory(), {.self = true}), entries_(check_all(bundle)) {}

  BundleReport run() {
    for_each_shard([this](unsigned shard) { take(shard); });
    return {.entries = entries_.size(), .bytes = bundle_.size(), .already = already_};
  }

 private:
  void take(unsigned shard) {
    const auto entries = in_shard(entries_, shard);
    if (entries.empty()) return;
    const std::string prefix = base::to_hex(entries.front().item.digest).substr(0, 2);
    std::unordered_set<std::string> names;  // what the directory has there, sound or not
    own_.visit_digests(prefix, [&](const std::string& digest) { names.insert(digest); });
    const Folder root = store_.find_directory();
    const Folder folder = root ? root.open(prefix) : Folder();
    std::uint64_t bytes = 0;
    for (const Checked& entry : entries) {
      if (!names.contains(base::to_hex(entry.item.digest))) bytes += entry.item.bytes;
    }
    std::shared_lock writing(sweep_);
    const DiskStore::Batch batch = store_.begin_batch(shard, bytes);
    for (const Checked& entry : entries) {
      const std::string digest = base::to_hex(entry.item.digest);
      const std::string content = read_again(entry);
      const bool there = names.contains(digest);
      if (there && is_sound(root, folder, digest, content)) {
        ++already_;
      } else if (!(there ? store_.put_bytes(digest, content) : batch.put(digest, content))) {
        throw IoError(fmt::format("cannot import {}: {} of its {} entries are in {}, the next could not be written{}",
                                  bundle_.path(), done_.load(), entries_.size(), store_.directory(), store_.why_not_written()));
      }
      ++done_;
    }
    writing.unlock();
    if (!batch.needs_sweep()) return;
    const std::unique_lock sweeping(sweep_);
    batch.sweep();
  }

  /// As the directory is to have it.
  [[nodiscard]] std::string read_again(const Checked& entry) const {
    base::FileError error;
    auto bytes = bundle_.read(entry.item, &error);
    if (!bytes) throw IoError(error.text);
    // Someone may have written to the file since.
    if (sound_checksum(*bytes) != entry.checksum) {
      throw IoError(fmt::format("cannot read bundle {}: it changed while it was read", bundle_.path()));
    }
    if (!entry.dated) return *std::move(bytes);
    auto stored = decode_any(*bytes, nullptr);
    return portable_bytes(stored->key, std::move(stored->record));
  }

  /// Whether what the directory has is sound: the same bytes as a rule.
  [[nodiscard]] bool is_sound(const Folder& root, const Folder& folder, const std::string& digest,
                              std::string_view bytes) const {
    return folder && (base::file_holds(own_.file_of(digest), bytes, folder.get()) || own_.read_in(root, digest, nullptr));
  }

  DiskStore& store_;
  const Bundle& bundle_;
  const DirectoryTier own_;
  const std::vector<Checked> entries_;
  std::atomic<std::uint64_t> already_{0};
  std::atomic<std::uint64_t> done_{0};
  std::shared_mutex sweep_;  // a sweep makes the estimate exact, so that nobody else may write meanwhile
};

BundleReport write_to(BundleWriter& writer, const Sources& sources, const std::vector<std::string>& digests, const Log& log) {
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
    check(writer.add(*base::from_hex(digest), portable_bytes(stored->key, std::move(stored->record))));
    ++report.entries;
  }
  check(writer.finish());
  report.bytes = writer.size();
  return report;
}

constexpr const char* kInMemory = "in memory";

void check_directory(const DiskStore& store, const std::string& name) {
  static_cast<void>(store.open_directory());  // throws with the reason where it is refused
  if (store.directory().empty()) throw CacheError("cannot import " + name + ": this cache has no directory");
}

BundleReport import_from(DiskStore& store, const Bundle& bundle) {
  Import import(store, bundle);
  if (bundle.size() > store.max_bytes()) {
    throw CacheError(
        fmt::format("cannot import {}: its {} bytes are more than the directory's bound of {}; raise KILN_CACHE_MAX_BYTES, or "
                    "name the bundle in KILN_CACHE_READONLY_DIRS",
                    bundle.path(), bundle.size(), store.max_bytes()));
  }
  return import.run();
}

}  // namespace

std::string portable_bytes(const std::string& key, Record record) {
  record.info.compile_ms = 0;
  record.info.created_unix = 0;
  return encode(key, record);
}

BundleReport export_bundle(const std::vector<const Tier*>& tiers, const std::string& path,
                           const std::vector<std::string>& digests, const Log& log) {
  const Sources sources = sources_of(tiers, digests);
  base::FileError error;
  auto writer = BundleWriter::create(path, &error);
  if (!writer) throw IoError(error.text);
  return write_to(*writer, sources, digests, log);
}

std::string export_bytes(const std::vector<const Tier*>& tiers, const std::vector<std::string>& digests, const Log& log) {
  BundleWriter writer = BundleWriter::in_memory();
  write_to(writer, sources_of(tiers, digests), digests, log);
  return writer.take();
}

BundleReport import_bundle(DiskStore& store, const std::string& path) {
  check_directory(store, path);
  base::FileError error;
  const auto bundle = Bundle::open(path, &error);
  if (!bundle) throw IoError(error.text);
  return import_from(store, *bundle);
}

BundleReport import_bytes(DiskStore& store, std::string_view bytes) {
  check_directory(store, kInMemory);
  base::FileError error;
  const auto bundle = Bundle::of_bytes(bytes, kInMemory, &error);
  if (!bundle) throw IoError(error.text);
  return import_from(store, *bundle);
}

std::vector<std::pair<std::string, Record>> read_bytes(std::string_view bytes) {
  base::FileError error;
  const auto bundle = Bundle::of_bytes(bytes, kInMemory, &error);
  if (!bundle) throw IoError(error.text);
  std::vector<std::pair<std::string, Record>> records;
  for (const Checked& entry : check_all(*bundle)) {
    const auto content = bundle->read(entry.item, &error);
    if (!content) throw IoError(error.text);
    records.emplace_back(base::to_hex(entry.item.digest), std::move(decode_any(*content, nullptr)->record));
  }
  return records;
}

}  // namespace kiln::cache

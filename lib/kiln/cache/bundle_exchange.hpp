// Between a cache and a bundle, both ways.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/disk_store.hpp"
#include "cache/entry.hpp"
#include "cache/tier.hpp"
#include "kiln/cache.hpp"

namespace kiln::cache {

/// Writes the entries of these tiers with these digests; all where there are none. What is damaged is left out, with a line of
/// `log`; of an entry that was asked for it is an error. CacheError for a digest that no tier has; IoError.
BundleReport export_bundle(const std::vector<const Tier*>& tiers, const std::string& path,
                           const std::vector<std::string>& digests, const Log& log);

/// The same as bytes.
[[nodiscard]] std::string export_bytes(const std::vector<const Tier*>& tiers, const std::vector<std::string>& digests,
                                       const Log& log);

/// Verifies the whole bundle, then puts the entries that the store's directory does not have, or has damaged, there. IoError
/// for a bundle that is not sound; CacheError for a directory that is refused, or too small.
BundleReport import_bundle(DiskStore& store, const std::string& path);
/// The same for the bytes of a bundle.
BundleReport import_bytes(DiskStore& store, std::string_view bytes);

/// An entry without what differs from machine to machine for the same kernel, as a bundle has it.
[[nodiscard]] std::string portable_bytes(const std::string& key, Record record);
/// The entries of a bundle of these bytes by ascending digest, all verified. IoError for a bundle that is not sound.
[[nodiscard]] std::vector<std::pair<std::string, Record>> read_bytes(std::string_view bytes);

}  // namespace kiln::cache

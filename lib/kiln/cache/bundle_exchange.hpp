// Between a cache and a bundle, both ways.
#pragma once

#include <string>
#include <vector>

#include "cache/disk_store.hpp"
#include "cache/tier.hpp"
#include "kiln/cache.hpp"

namespace kiln::cache {

/// Writes the entries of these tiers with these digests; all where there are none. What is damaged is left out, with a line of
/// `log`; of an entry that was asked for it is an error. CacheError for a digest that no tier has; IoError.
BundleReport export_bundle(const std::vector<const Tier*>& tiers, const std::string& path,
                           const std::vector<std::string>& digests, const Log& log);

/// Verifies the whole bundle, then puts the entries that the store's directory does not have, or has damaged, there. IoError
/// for a bundle that is not sound; CacheError for a directory that is refused, or too small.
BundleReport import_bundle(DiskStore& store, const std::string& path);

}  // namespace kiln::cache

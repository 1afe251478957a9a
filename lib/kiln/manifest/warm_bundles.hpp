// Entries of the cache on their way from rank to rank.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/hash.hpp"

namespace kiln::manifest {

/// The bytes of entries, by their digests.
using WarmEntries = std::map<base::Hash128, std::string>;

/// A bundle of them. IoError for an entry that is too large.
[[nodiscard]] std::string bundle_of(const WarmEntries& entries);
/// The entries with these digests in the bundles of other ranks. IoError for a damaged bundle, and where one is in none.
[[nodiscard]] WarmEntries entries_in(const std::vector<std::string>& bundles, const std::set<base::Hash128>& wanted);

}  // namespace kiln::manifest

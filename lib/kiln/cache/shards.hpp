// Work over the folders of a cache directory, for those who look through all of it.
#pragma once

#include <functional>

namespace kiln::cache {

inline constexpr unsigned kShards = 256;

/// Calls work(0) … work(255) in no order, in the caller and a few threads beside it, and waits for them all. What a call throws
/// is thrown again, after which no further ones begin.
void for_each_shard(const std::function<void(unsigned shard)>& work);

}  // namespace kiln::cache

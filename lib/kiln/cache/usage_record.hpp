// The modification time of an entry's file, which is kiln's own: its seconds say when the entry was last used, its fraction how
// often, in steps of 100 microseconds. No further file, and no write that a look-up did not make already.
#pragma once

#include <ctime>

namespace kiln::cache {

/// A hit renews the stamp only where it is older than this, so that hits do not write.
inline constexpr std::time_t kStampSeconds = 600;
inline constexpr long kMostHits = 9999;

/// How often it was renewed. A fraction that is no whole number of steps is that of the moment the file was written: 0. Where
/// the file system keeps no fractions: 0.
[[nodiscard]] long hits_of(const timespec& stamp) noexcept;

/// Stamps the file of that name in the open folder with the disk's own time, and one hit more. Faults are nobody's concern: the
/// stamp then stays older.
void renew_stamp(int folder, const char* name) noexcept;

}  // namespace kiln::cache

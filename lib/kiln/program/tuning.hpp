// Measured launch shapes in the cache: those of a device and its driver.
#pragma once

#include <string>
#include <vector>

#include "cache/tuning_file.hpp"
#include "device/backend.hpp"
#include "kiln/cache_entry.hpp"
#include "kiln/cache_handle.hpp"

namespace kiln::program {

/// What results are kept under: the device by its name and size, the driver by its version.
[[nodiscard]] cache::TunedOn tuned_on(const backend::Backend& backend);
/// The same of every GPU that is here, and of what KILN_DEVICE names. Opens their drivers; throws nothing of theirs.
[[nodiscard]] std::vector<cache::TunedOn> tuned_here();

/// What was measured for the kernel on this device with the driver that it has now; of a size class the newest alone.
[[nodiscard]] std::vector<cache::TunedShape> tuned_shapes(const Cache& cache, const std::string& digest,
                                                          const backend::Backend& backend);
/// False where the cache has no directory that it can be kept in; its log has the reason.
bool keep_shape(const Cache& cache, const std::string& digest, const cache::TunedShape& shape);

}  // namespace kiln::program

// Measured launch shapes as text and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kiln/cache.hpp"
#include "kiln/tune_report.hpp"

namespace kiln::tool {

/// "blocks of 128 threads, 4 accesses a thread: 0.87 of the cost model's time with 16777216 elements; NVIDIA H200, 132
/// multiprocessors, CUDA 13.0".
[[nodiscard]] std::string tuned_text(const cache::TunedShape& shape);
[[nodiscard]] nlohmann::ordered_json to_json(const cache::TunedShape& shape);

/// What was tried, a line each, and what was chosen; or why nothing was.
[[nodiscard]] std::string tune_text(const TuneReport& report, const std::string& kernel, const std::string& directory);
[[nodiscard]] nlohmann::ordered_json to_json(const TuneReport& report, const std::string& kernel);

}  // namespace kiln::tool

// Measured launch shapes as people read them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace kiln::tool {

/// One of "tuned" in a reply: "blocks of 128 threads, 4 accesses a thread: 0.87 of the cost model's time with 16777216
/// elements; NVIDIA H200, 132 multiprocessors, CUDA 13.0".
[[nodiscard]] std::string tuned_text(const nlohmann::ordered_json& shape);

/// The reply of the command "tune": what was tried, a line each, and what was chosen; or why nothing was.
[[nodiscard]] std::string tune_text(const nlohmann::ordered_json& report, const std::string& directory);

}  // namespace kiln::tool

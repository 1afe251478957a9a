// kiln's values as JSON, as commands reply with and the tool prints them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "kiln/cache.hpp"
#include "kiln/device.hpp"
#include "kiln/diagnostic.hpp"
#include "kiln/explain.hpp"
#include "kiln/inspect.hpp"
#include "kiln/manifest.hpp"
#include "kiln/math.hpp"
#include "kiln/profile.hpp"
#include "kiln/resolution.hpp"
#include "kiln/tune_report.hpp"

namespace kiln::command {

using Json = nlohmann::ordered_json;

/// Returns the text. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string text_of(const Json& json);

/// Returns where a message names options as C++ does: [{"begin": 53, "end": 57, "name": "out"}].
[[nodiscard]] Json option_places(std::string_view message);

/// Has "options" where the text names some.
[[nodiscard]] Json to_json(const Diagnostic& diagnostic);
/// Returns what is known of a device; a device that cannot be opened has "error".
[[nodiscard]] Json to_json(const Device& device);
[[nodiscard]] Json to_json(const Resolution& plan);
[[nodiscard]] Json to_json(const GufuncResolution& plan);
[[nodiscard]] Json to_json(const inspect::Resources& resources);
[[nodiscard]] Json to_json(const cache::TunedShape& shape);
[[nodiscard]] Json to_json(const TuneReport& report, const std::string& kernel);
[[nodiscard]] Json to_json(const cache::Entry& entry);
[[nodiscard]] Json to_json(const cache::Contents& contents);
[[nodiscard]] Json to_json(const ManifestKernel& kernel, const ManifestOutcome& outcome);
[[nodiscard]] Json to_json(const math::FunctionInfo& function);
[[nodiscard]] Json to_json(const CallRecord& record);
[[nodiscard]] Json to_json(const ErrorTopic& topic);

}  // namespace kiln::command

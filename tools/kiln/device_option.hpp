// --device: where a command runs.
#pragma once

#include <string>

#include "kiln/device.hpp"

namespace CLI {
class App;
}

namespace kiln::tool {

/// What --device takes; of all but the first a number may follow. Which there are is not known before their drivers start.
inline constexpr const char* kDevices[] = {
    "best", "cpu", "cuda", "hip", "emulated:sm_75", "emulated:sm_80", "emulated:sm_90", "emulated:sm_100"};

void add_device_option(CLI::App& app, std::string& to);
/// UsageError for what is no device's name; DeviceError for one that is not there.
[[nodiscard]] Device read_device(const std::string& text);

}  // namespace kiln::tool

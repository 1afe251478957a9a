// The GPUs of the process.
#pragma once

#include <string>
#include <string_view>

#include "device/backend.hpp"

namespace kiln::backend::gpu {

/// Opened at the first call, kept for ever. DeviceError where there is no such device.
Backend& open(DeviceKind kind, int index, bool emulated = false);
/// Null where it has not been opened.
Backend* opened(DeviceKind kind, int index, bool emulated = false) noexcept;
/// The device of libkiln-emulator.so for "sm_90". DeviceError where the library is missing or knows no such target.
int emulated_index(std::string_view target);
/// 0 where there is no driver.
int device_count(DeviceKind kind) noexcept;
/// Why there is no device: every path tried, or the driver's own words. Empty where there is one.
std::string why_none(DeviceKind kind);

}  // namespace kiln::backend::gpu

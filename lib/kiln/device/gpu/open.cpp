#include "device/gpu/devices.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "base/fork.hpp"
#include "compiler/gpu/compiler_choice.hpp"
#include "device/gpu/backend.hpp"
#include "device/gpu/driver_link.hpp"
#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::backend::gpu {
namespace {

std::unique_ptr<GpuBackend> make_backend(DeviceKind kind, int index, bool emulated) {
  const Driver& driver = emulated ? Driver::emulator() : Driver::of(kind);
  const int count = driver.device_count();
  if (index < 0 || (index >= count && !emulated)) {
    const std::string found = count == 0   ? "none"
                              : count == 1 ? driver.device_name(0)
                                           : driver.device_name(0) + " to " + driver.device_name(count - 1);
    throw Because<DeviceError>(Reason::device, "there is no device " + driver.device_name(index) + ": " +
                                                   driver.version_text() + " (" + driver.path() + ") found " + found);
  }
  // A device whose compiler is missing can still be listed, and copied to and from.
  std::shared_ptr<const Compiler> compiler;
  std::string no_compiler;
  const std::string arch = architecture_of(driver, index);
  try {
    compiler =
        choose_compiler({.target = arch,
                         .driver = "the driver of " + driver.version_text(),
                         .emulated = driver.is_emulator(),
                         .only_device = count == 1,
                         .driver_linker = kind == DeviceKind::cuda ? std::make_shared<DriverLink>(driver, index) : nullptr,
                         .wanted = wanted_compiler()});
  } catch (const DeviceError& error) {
    no_compiler = "cannot compile for " + driver.device_name(index) + " (" + arch + "): " + error.what();
  }
  return std::make_unique<GpuBackend>(driver, index, std::move(compiler), std::move(no_compiler));
}

struct Opened {
  std::mutex mutex;
  std::map<std::tuple<DeviceKind, int, bool>, std::unique_ptr<GpuBackend>> backends;
};

Opened& all_opened() {
  // Leaked on purpose: arrays and modules in static storage go after everything that is destroyed at exit.
  static auto* const all = new Opened;
  return *all;
}

}  // namespace

Backend* opened(DeviceKind kind, int index, bool emulated) noexcept {
  Opened& all = all_opened();
  const std::lock_guard guard(all.mutex);
  const auto found = all.backends.find({kind, index, emulated});
  return found == all.backends.end() ? nullptr : found->second.get();
}

Backend& open(DeviceKind kind, int index, bool emulated) {
  if (base::forked()) {
    throw Because<DeviceError>(
        Reason::fork,
        "cannot use " + std::string(dialect_of(kind).prefix) + ":" + std::to_string(index) +
            " in a process forked from one that used kiln: GPU contexts do not survive fork(); restart the process "
            "(exec) or use the CPU");
  }
  Opened& all = all_opened();
  const std::lock_guard guard(all.mutex);
  auto& backend = all.backends[{kind, index, emulated}];
  if (!backend) backend = make_backend(kind, index, emulated);
  return *backend;
}

int emulated_index(std::string_view target) {
  const Driver& driver = Driver::emulator();
  const int index = driver.calls().emulator_device(std::string(target).c_str());
  if (index < 0) throw DeviceError(driver.calls().emulator_message());
  return index;
}

int device_count(DeviceKind kind) noexcept try {
  // A forked child has none: its drivers are the parent's.
  return base::forked() ? 0 : Driver::of(kind).device_count();
} catch (...) {
  return 0;
}

std::string why_none(DeviceKind kind) {
  if (base::forked()) {
    return "this process was forked from one that used kiln, and GPU contexts do not survive fork(); restart the process "
           "(exec) or use the CPU";
  }
  try {
    const Driver& driver = Driver::of(kind);
    if (driver.device_count() > 0) return {};
    return driver.version_text() + " (" + driver.path() + ") found no device";
  } catch (const DeviceError& error) {
    return error.what();
  }
}

}  // namespace kiln::backend::gpu

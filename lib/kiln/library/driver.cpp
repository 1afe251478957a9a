// libcuda or the HIP runtime.
#include "library/driver.hpp"
#include "base/fork.hpp"

#include <atomic>
#include <memory>
#include <mutex>

#include "base/at_exit.hpp"
#include "base/environment.hpp"
#include "base/installation.hpp"
#include "base/own_folder.hpp"
#include "library/library.hpp"
#include "library/resolve.hpp"
#include "types/reason.hpp"

namespace kiln::backend::gpu {
namespace {

using abi::Status;

constexpr const char* kEmulator = "libkiln-emulator.so";

/// 13.0 of CUDA's 13000; 5.2.21153 of HIP's 50221153.
std::string version_words(DeviceKind kind, int version) {
  if (kind == DeviceKind::cuda) return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  return std::to_string(version / 10000000) + "." + std::to_string(version / 100000 % 100) + "." +
         std::to_string(version % 100000);
}

/// Set while the process exits, before the runtime's own handlers: they were registered earlier.
std::atomic<bool> exiting{false};

/// What became of opening the vendor's driver: it, or why not.
struct Found {
  std::mutex mutex;
  std::unique_ptr<const Driver> driver;
  std::string reason;
  int code = 0;
  std::string code_name;
};

Found& found(DeviceKind kind) {
  // Leaked on purpose: arrays may be freed while the process exits.
  static Found* const all = new Found[kVendors];
  return all[vendor_number(kind)];
}

}  // namespace

const Driver& Driver::of(DeviceKind kind) {
  Found& result = found(kind);
  const std::lock_guard guard(result.mutex);
  if (!result.driver && result.reason.empty()) {
    const Dialect& dialect = dialect_of(kind);
    try {
      result.driver = std::make_unique<Driver>(dialect, candidates(dialect.driver));
    } catch (const DeviceError& error) {
      // Kept: a driver that failed to start once fails for the life of the process, and asking again costs milliseconds.
      result.reason = error.what();
      result.code = error.code();
      result.code_name = error.code_name();
    }
  }
  if (!result.driver) throw DeviceError(result.reason, result.code, result.code_name);
  return *result.driver;
}

const Driver& Driver::emulator() {
  static std::mutex mutex;
  static const Driver* opened = nullptr;  // leaked, as the vendors' are
  const std::lock_guard guard(mutex);
  if (opened != nullptr) return *opened;
  const auto named = base::env("KILN_EMULATOR");
  const std::vector<std::string> names = named && !named->empty()
                                             ? std::vector<std::string>{*named}
                                             : base::candidates_beside(kEmulator, KILN_INSTALLED_LIBRARIES);
  auto found = base::DynamicLibrary::open_first(names, base::Unload::never);
  if (!found.library) {
    shorten(found.attempts);
    throw Because<DeviceError>(Reason::driver, "kiln's emulator was not found: tried " + base::describe(found.attempts) + "; " +
                                                   base::how_to_install(kEmulator, KILN_CLANG_PACKAGE, "KILN_EMULATOR"));
  }
  auto made = std::make_unique<Driver>(dialect_of(DeviceKind::cuda), std::vector<std::string>{found.library.path()});
  if (made->calls_.emulator_device == nullptr) throw DeviceError(made->path_ + " is not kiln's emulator");
  made->emulates_ = true;
  opened = made.release();
  return *opened;
}

std::string Driver::device_name(int index) const {
  int major = 0;
  int minor = 0;
  if (emulates_ && calls_.device_attribute(&major, dialect_.attribute.capability_major, index) == abi::kSuccess &&
      calls_.device_attribute(&minor, dialect_.attribute.capability_minor, index) == abi::kSuccess) {
    return "emulated:sm_" + std::to_string(major) + std::to_string(minor);
  }
  return std::string(dialect_.prefix) + ":" + std::to_string(index);
}

Driver::Driver(const Dialect& dialect, const std::vector<std::string>& names) : dialect_(dialect) {
  auto opened = base::DynamicLibrary::open_first(names, base::Unload::never);
  if (!opened.library) {
    shorten(opened.attempts);
    throw Because<DeviceError>(Reason::driver, "no " + std::string(dialect.runtime) + " driver was found: tried " +
                                                   base::describe(opened.attempts) + "; " + dialect.driver_advice);
  }
  library_ = std::move(opened.library);
  path_ = library_.path();
  const Resolver resolve{library_, dialect.kind, path_};
#define KILN_GPU_SYMBOL(member, cuda, hip, need, ...) resolve(calls_.member, cuda, hip, Need::need);
#include "library/driver_symbols.inc"
#undef KILN_GPU_SYMBOL
  const auto start = [&](const char* step, Status status) {
    if (status != abi::kSuccess) {
      const bool no_device = !is_emulator() && (status == abi::kNoDevice || status == abi::kInvalidDevice);
      throw Because<DeviceError>(Reason::driver,
                                 "failed to " + std::string(step) + " " + dialect.runtime + " (" + path_ +
                                     "): " + error_text(status) + (no_device ? ": it found no device" : ""),
                                 status, error_name(status));
    }
  };
  // What this starts does not survive fork(), whether or not a device of it is ever opened.
  base::watch_forks();
  start("start", calls_.init(0));
  start("read the version of", calls_.driver_version(&version_));
  start("count the devices of", calls_.device_count(&device_count_));
  if (dialect.ends_with_exit) base::at_exit<[] { exiting.store(true, std::memory_order_relaxed); }>();
}

bool Driver::gone() const noexcept {
  return dialect_.ends_with_exit && exiting.load(std::memory_order_relaxed);
}

std::string Driver::version_text() const {
  return std::string(dialect_.runtime) + " " + version_words(dialect_.kind, version_);
}

std::string Driver::error_name(Status status) const {
  const char* text = nullptr;
  if (dialect_.names_by_argument) {
    if (calls_.error_name_of(status, &text) != abi::kSuccess) text = nullptr;
  } else {
    text = calls_.error_name(status);
  }
  return text != nullptr ? text : "error " + std::to_string(status);
}

std::string Driver::error_text(Status status) const {
  const char* text = nullptr;
  if (dialect_.names_by_argument) {
    if (calls_.error_text_of(status, &text) != abi::kSuccess) text = nullptr;
  } else {
    text = calls_.error_text(status);
  }
  const std::string name = error_name(status);
  const std::string details = is_emulator() ? calls_.emulator_message() : "";
  return (text == nullptr || name == text ? name : name + " (" + text + ")") + (details.empty() ? "" : ": " + details);
}

DeviceError Driver::error(Status status, const std::string& what_failed, int index) const {
  return DeviceError("failed to " + what_failed + " on " + device_name(index) + ": " + error_text(status), status,
                     error_name(status));
}

int driver_version_major(DeviceKind kind) noexcept try {
  const Dialect& dialect = dialect_of(kind);
  const auto opened = base::DynamicLibrary::open_first(candidates(dialect.driver), base::Unload::never);
  const auto version_of = opened.library.function<Status (*)(int*)>("cuDriverGetVersion");
  int version = 0;
  if (version_of == nullptr || version_of(&version) != abi::kSuccess) return 0;
  return version / 1000;
} catch (...) {
  return 0;
}

std::string locate_driver(DeviceKind kind) {
  return locate(candidates(dialect_of(kind).driver)).path;
}

}  // namespace kiln::backend::gpu

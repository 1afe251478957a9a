// What the driver's calls share: the devices that are emulated, the contexts of threads, the handles that callers hold.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "emulator/machine.hpp"

namespace kiln::emulator {

constexpr std::size_t kDeviceBytes = std::size_t{4} << 30U;
constexpr const char* kTargets = "sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_103, sm_120 and sm_121 can be emulated";

struct Emulated {
  std::string target;
  Machine machine;
};

/// Page-locked memory of the host, by its address: the driver's, or the caller's (no room).
struct HostMemory {
  struct Free {
    void operator()(char* room) const noexcept { std::free(room); }
  };
  std::size_t bytes = 0;
  std::unique_ptr<char, Free> room = nullptr;
};
/// A launch that a stream captured.
struct CapturedLaunch {
  Kernel kernel;
  Extent grid;
  Extent block;
  std::uint32_t shared = 0;
  std::vector<std::vector<char>> parameters;
};
using Graph = std::vector<CapturedLaunch>;
/// A link: the texts so far, consecutively, which is how PTX links.
struct Link {
  std::string text;
  char* log = nullptr;  ///< the caller's; null: there is none
  std::size_t log_bytes = 0;
};

struct State {
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<Emulated>> devices;  ///< by ordinal; their addresses are their contexts
  std::map<void*, std::shared_ptr<Program>> modules;
  std::map<void*, std::unique_ptr<Kernel>> kernels;
  std::map<void*, std::unique_ptr<Link>> links;
  std::map<std::uint64_t, HostMemory> host_memory;
  std::map<std::pair<Emulated*, std::uint32_t>, Graph> captures;  ///< by device and stream
  std::map<void*, std::unique_ptr<Graph>> graphs;                 ///< executable ones, too
  std::string message;
  int pool = 0;  ///< its address is the handle
  int refuse_after = 0;
  int refuse_times = 0;  ///< allocations that fail once refuse_after others were made

  /// Whether the allocation that is asked for now is to fail.
  bool refuses() noexcept {
    if (refuse_times == 0) return false;
    if (refuse_after > 0) return --refuse_after < 0;
    --refuse_times;
    return true;
  }

  /// The ordinal of the device of that architecture, made where there is none; -1 for a name that is none.
  int ordinal_of(const std::string& target);
  /// The page-locked memory that some of the bytes are in; its end where there is none.
  [[nodiscard]] std::map<std::uint64_t, HostMemory>::iterator host_memory_of(std::uint64_t address, std::size_t bytes);
  /// Whether all of the bytes are in one.
  [[nodiscard]] bool is_page_locked(const void* pointer, std::size_t bytes);
  /// Null for a context that is no device's.
  [[nodiscard]] Emulated* device_of(const void* context) const;
  /// Null for an ordinal that is none's.
  [[nodiscard]] Emulated* device(int ordinal) const;
};
/// Never destroyed: programs call at their very end.
[[nodiscard]] State& state();

/// The contexts that a thread has made current, the last one on top. Without a destructor: programs call at their very end.
struct Contexts {
  std::array<void*, 64> all;
  std::size_t count;

  [[nodiscard]] void* current() const noexcept { return count == 0 ? nullptr : all[count - 1]; }
};
[[nodiscard]] Contexts& contexts() noexcept;

/// That of the current context; null where there is none.
[[nodiscard]] Emulated* device();
[[nodiscard]] inline Machine& machine() {
  return device()->machine;
}

// Streams and events are numbers, memory is the host's.
[[nodiscard]] inline std::uint64_t address(const void* pointer) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer);
}
[[nodiscard]] inline void* pointer(std::uint64_t address) noexcept {
  return reinterpret_cast<void*>(address);
}
[[nodiscard]] inline std::uint32_t number(const void* handle) noexcept {
  return static_cast<std::uint32_t>(address(handle));
}

/// Every call: one at a time, and in the device's context; a fault answers all that come behind it.
template <class Body>
int call(const Body& body) {
  const std::lock_guard guard(state().mutex);
  if (device() == nullptr) return invalid_context;
  Machine& at = machine();
  try {
    int status = success;
    if (at.fault() == 0) {
      state().message.clear();
      at.progress();
      status = body();
    }
    if (at.fault() == 0) return status;
    state().message = at.message();
    return at.fault();
  } catch (const std::exception& error) {
    state().message = error.what();
    return out_of_memory;
  }
}
/// What the stream captures; null: it does not.
[[nodiscard]] Graph* captured(const void* stream);
/// A call of a stream, or of memory on one. One that captures takes launches alone.
template <class Body>
int call_on(const void* stream, const Body& body) {
  return call([&]() -> int {
    if (!machine().has_stream(address(stream))) return invalid_handle;
    return captured(stream) == nullptr ? body(number(stream)) : capture_unsupported;
  });
}

}  // namespace kiln::emulator

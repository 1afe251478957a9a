// NVTX and ROCTX.
#include "library/ranges.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/dynamic_library.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"
#include "library/library.hpp"

namespace kiln::backend {
namespace gpu {
namespace {

using Push = int (*)(const char*);
using Pop = int (*)();

/// What NVTX's headers do in programs that are compiled with them: a profiler names its library in the environment, and that
/// library fills a table of functions.
namespace injection {

using AnyFunction = void (*)();
constexpr std::uint32_t kCallbacksTable = 1;
constexpr std::uint32_t kVersionTable = 3;
constexpr std::uint32_t kVersion = 3;
constexpr int kCoreModule = 1;
constexpr std::size_t kRangePush = 9;
constexpr std::size_t kRangePop = 11;
constexpr std::size_t kCoreFunctions = 16;

std::array<AnyFunction, kCoreFunctions> functions{};

struct CallbacksTable {
  std::size_t size;
  int (*functions_of)(int module, AnyFunction*** table, unsigned* count);
};
struct VersionTable {
  std::size_t size;
  std::uint32_t version;
  std::uint32_t reserved;
  void (*set_version)(std::uint32_t version);
};

int functions_of(int module, AnyFunction*** table, unsigned* count) {
  static std::array<AnyFunction*, kCoreFunctions + 1> places = [] {
    std::array<AnyFunction*, kCoreFunctions + 1> all{};  // null at the end, and at 0, which is no function
    for (std::size_t i = 1; i < kCoreFunctions; ++i) all[i] = &functions[i];
    return all;
  }();
  if (module != kCoreModule) return 0;
  if (table != nullptr) *table = places.data();
  if (count != nullptr) *count = kCoreFunctions;
  return 1;
}

const void* table_of(std::uint32_t table) {
  static constexpr CallbacksTable kCallbacks{sizeof(CallbacksTable), functions_of};
  static constexpr VersionTable kOfVersion{sizeof(VersionTable), kVersion, 0, [](std::uint32_t) {}};
  if (table == kCallbacksTable) return &kCallbacks;
  return table == kVersionTable ? &kOfVersion : nullptr;
}

}  // namespace injection

constexpr const char* kNvtxHomeVariables[] = {"CUDA_PATH", "CUDA_HOME"};
constexpr const char* kNvtxHomes[] = {"/usr/local/cuda"};
constexpr const char* kRoctxHomeVariables[] = {"ROCM_PATH", "HIP_PATH"};
constexpr const char* kRoctxHomes[] = {"/opt/rocm"};
constexpr const char* kNvtxFolders[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
constexpr const char* kRoctxFolders[] = {"lib"};
// Until CUDA 12.8, and since.
constexpr const char* kNvtxNames[] = {"libnvToolsExt.so.1", "libnvtx3interop.so.1", "libnvtx3interop.so"};
// rocprofv3 reads both.
constexpr const char* kRoctxNames[] = {"librocprofiler-sdk-roctx.so.1", "libroctx64.so.4"};
constexpr LibrarySearch kNvtx{"KILN_NVTX", kNvtxNames, kNvtxHomeVariables, kNvtxHomes, kNvtxFolders, {}, true};
constexpr LibrarySearch kRoctx{"KILN_ROCTX", kRoctxNames, kRoctxHomeVariables, kRoctxHomes, kRoctxFolders, {}, true};

class Ranges {
 public:
  Ranges() {
    if (!open_injected()) open(kNvtx, "nvtxRangePushA", "nvtxRangePop");
    open(kRoctx, "roctxRangePushA", "roctxRangePop");
    if (!stacks_.empty()) return;
    shorten(attempts_);
    base::log_line("no ranges of calls are given to profilers: neither NVTX nor ROCTX could be opened: " +
                   base::describe(attempts_));
  }
  void push(const char* name) const {
    for (const Stack& each : stacks_) each.push(name);
  }
  void pop() const {
    for (const Stack& each : stacks_) each.pop();
  }

 private:
  struct Stack {
    Push push;
    Pop pop;
  };

  bool open_injected() {
    const std::string file = base::env("NVTX_INJECTION64_PATH").value_or("");
    if (file.empty()) return false;
    auto opened = base::DynamicLibrary::open_first(std::span(&file, 1), base::Unload::never);
    attempts_.insert(attempts_.end(), opened.attempts.begin(), opened.attempts.end());
    using Initialize = int (*)(const void* (*)(std::uint32_t));
    const auto initialize = opened.library.function<Initialize>("InitializeInjectionNvtx2");
    if (initialize == nullptr || initialize(injection::table_of) == 0) return false;
    return add(reinterpret_cast<Push>(injection::functions[injection::kRangePush]),
               reinterpret_cast<Pop>(injection::functions[injection::kRangePop]));
  }

  void open(const LibrarySearch& search, const char* pushes, const char* pops) {
    auto opened = base::DynamicLibrary::open_first(candidates(search), base::Unload::never);
    attempts_.insert(attempts_.end(), opened.attempts.begin(), opened.attempts.end());
    add(opened.library.function<Push>(pushes), opened.library.function<Pop>(pops));
  }

  bool add(Push pushes, Pop pops) {
    if (pushes == nullptr || pops == nullptr) return false;
    stacks_.push_back({pushes, pops});
    return true;
  }

  std::vector<Stack> stacks_;
  std::vector<base::Attempt> attempts_;
};

/// Null where there is no memory.
const Ranges* ranges() noexcept {
  try {
    static const Ranges& opened = *new Ranges;  // never destroyed: calls may be made while the program exits
    return &opened;
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace
}  // namespace gpu

void push_range(const char* name) noexcept {
  if (const gpu::Ranges* const opened = gpu::ranges()) opened->push(name);
}

void pop_range() noexcept {
  if (const gpu::Ranges* const opened = gpu::ranges()) opened->pop();
}

}  // namespace kiln::backend

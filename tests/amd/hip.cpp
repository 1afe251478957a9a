// HIP's runtime as far as kiln calls it, for a device that executes AMD machine code on the host: docs/testing.md.
//
// KILN_HIP names this library, KILN_AMD_ARCH the device (gfx942, gfx1100), KILN_AMD_PYTHON a Python with NumPy and tinygrad.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "arena.hpp"
#include "executor.hpp"

namespace {

using Status = int;
using nlohmann::json;

constexpr Status kInvalidValue = 1;
constexpr Status kOutOfMemory = 2;
constexpr Status kInvalidConfiguration = 9;
constexpr Status kInvalidDevice = 101;
constexpr Status kInvalidImage = 200;
constexpr Status kInvalidHandle = 400;
constexpr Status kNotFound = 500;
constexpr std::size_t kDeviceBytes = std::size_t{1} << 30;

struct Argument {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};
struct Kernel {
  int module = 0;
  std::string name;
  std::vector<Argument> arguments;
  std::size_t argument_bytes = 0;
};
struct Variable {
  char* begin = nullptr;
  std::size_t bytes = 0;
};
struct Module {
  int number = 0;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::map<std::string, Variable, std::less<>> variables;
};

struct State {
  std::mutex mutex;
  kiln_amd::Arena arena{2 * kDeviceBytes};
  kiln_amd::Executor executor;
  bool started = false;
  std::set<std::uintptr_t> streams;
  std::set<std::uintptr_t> events;
  std::uintptr_t next_handle = 1;
  std::set<Module*> modules;
};
/// Deleted when the process exits, which ends the executor.
State& state() {
  static State one;
  return one;
}

std::string environment(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

std::string architecture() {
  const std::string name = environment("KILN_AMD_ARCH", "gfx942");
  return name.starts_with("gfx9") ? name + ":sramecc+:xnack-" : name;
}

bool wide() {
  return architecture().starts_with("gfx9");
}

kiln_amd::Executor& executor() {
  State& s = state();
  if (!s.started) {
    s.started = true;
    const std::string python = environment("KILN_AMD_PYTHON", "/usr/bin/python3");
    if (s.executor.start(python, KILN_AMD_SCRIPT, s.arena.file())) {
      const json ready = s.executor.ask({{"op", "memory"},
                                         {"base", reinterpret_cast<std::uintptr_t>(s.arena.base())},
                                         {"bytes", s.arena.bytes()},
                                         {"arch", environment("KILN_AMD_ARCH", "gfx942")}});
      if (ready.value("status", 1) != 0) std::fprintf(stderr, "kiln's AMD executor does not answer\n");
    }
  }
  return s.executor;
}

Status make_handle(std::set<std::uintptr_t>& handles, void** handle) {
  const std::lock_guard guard(state().mutex);
  const std::uintptr_t number = state().next_handle++;
  handles.insert(number);
  *handle = reinterpret_cast<void*>(number);
  return 0;
}

Status drop_handle(std::set<std::uintptr_t>& handles, void* handle) {
  const std::lock_guard guard(state().mutex);
  return handles.erase(reinterpret_cast<std::uintptr_t>(handle)) != 0 ? 0 : kInvalidHandle;
}

Status check_handle(const std::set<std::uintptr_t>& handles, void* handle) {
  const std::lock_guard guard(state().mutex);
  return handles.count(reinterpret_cast<std::uintptr_t>(handle)) != 0 ? 0 : kInvalidHandle;
}

Status check_stream(void* stream) {
  return stream == nullptr ? 0 : check_handle(state().streams, stream);
}

/// Whether one allocation or one variable of a module has all of these bytes.
bool is_on_device(const void* address, std::size_t bytes) {
  if (state().arena.contains(address, bytes)) return true;
  const auto* const begin = static_cast<const char*>(address);
  for (const Module* module : state().modules) {
    for (const auto& [name, variable] : module->variables) {
      if (begin >= variable.begin && begin + bytes <= variable.begin + variable.bytes) return true;
    }
  }
  return false;
}

}  // namespace

extern "C" {

Status hipInit(unsigned) {
  return 0;
}
Status hipRuntimeGetVersion(int* version) {
  *version = 60200000;
  return 0;
}
const char* hipGetErrorName(Status status) {
  switch (status) {
    case 0:
      return "hipSuccess";
    case kInvalidValue:
      return "hipErrorInvalidValue";
    case kOutOfMemory:
      return "hipErrorOutOfMemory";
    case kInvalidConfiguration:
      return "hipErrorInvalidConfiguration";
    case kInvalidDevice:
      return "hipErrorInvalidDevice";
    case kInvalidImage:
      return "hipErrorInvalidImage";
    case kNotFound:
      return "hipErrorNotFound";
    case 700:
      return "hipErrorIllegalAddress";
    case 702:
      return "hipErrorLaunchTimeOut";
    case 719:
      return "hipErrorLaunchFailure";
    default:
      return "hipErrorUnknown";
  }
}
const char* hipGetErrorString(Status status) {
  return hipGetErrorName(status);
}
Status hipGetDeviceCount(int* count) {
  *count = 1;
  return 0;
}
Status hipDeviceGet(int* device, int index) {
  *device = index;
  return index == 0 ? 0 : kInvalidDevice;
}
Status hipDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<std::size_t>(length), "executed %s", architecture().c_str());
  return 0;
}
Status hipDeviceTotalMem(std::size_t* bytes, int) {
  *bytes = kDeviceBytes;
  return 0;
}
Status hipDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 87:  // threads of a warp
      *value = wide() ? 64 : 32;
      return 0;
    case 63:  // multiprocessors: few, so that a launch is short and its loops over the grid turn
      *value = 2;
      return 0;
    case 57:  // threads of each
      *value = 2048;
      return 0;
    case 56:
    case 26:
    case 27:
    case 28:  // threads of a block, and along each axis
      *value = 1024;
      return 0;
    case 29:
      *value = 2147483647;
      return 0;
    case 30:
    case 31:
      *value = 65535;
      return 0;
    case 74:
      *value = 65536;
      return 0;
    case 19:
      *value = 4 << 20;
      return 0;
    case 88:
      *value = 0;
      return 0;
    case 23:
      *value = wide() ? 9 : 11;
      return 0;
    case 61:
      *value = wide() ? 4 : 0;
      return 0;
    default:
      return kInvalidValue;
  }
}
Status hipGetDevicePropertiesR0600(void* properties, int device) {
  constexpr std::size_t kArchOffset = 1160;
  const std::string name = architecture();
  std::memcpy(static_cast<char*>(properties) + kArchOffset, name.c_str(), name.size() + 1);
  return hipDeviceGetName(static_cast<char*>(properties), 255, device);
}
Status hipGetDevice(int* device) {
  *device = 0;
  return 0;
}
Status hipSetDevice(int device) {
  return device == 0 ? 0 : kInvalidDevice;
}
Status hipDeviceSynchronize() {
  return 0;
}

Status hipMalloc(void** address, std::size_t bytes) {
  const std::lock_guard guard(state().mutex);
  *address = state().arena.allocate(bytes);
  return *address != nullptr ? 0 : kOutOfMemory;
}
Status hipFree(void* address) {
  const std::lock_guard guard(state().mutex);
  return state().arena.free(address) ? 0 : kInvalidValue;
}
Status hipMemcpyHtoDAsync(void* to, const void* from, std::size_t bytes, void* stream) {
  if (const Status status = check_stream(stream); status != 0) return status;
  const std::lock_guard guard(state().mutex);
  if (!is_on_device(to, bytes)) return kInvalidValue;
  std::memcpy(to, from, bytes);
  return 0;
}
Status hipMemcpyDtoHAsync(void* to, const void* from, std::size_t bytes, void* stream) {
  if (const Status status = check_stream(stream); status != 0) return status;
  const std::lock_guard guard(state().mutex);
  if (!is_on_device(from, bytes)) return kInvalidValue;
  std::memcpy(to, from, bytes);
  return 0;
}
Status hipMemcpyDtoDAsync(void* to, const void* from, std::size_t bytes, void* stream) {
  if (const Status status = check_stream(stream); status != 0) return status;
  const std::lock_guard guard(state().mutex);
  if (!is_on_device(to, bytes) || !is_on_device(from, bytes)) return kInvalidValue;
  std::memmove(to, from, bytes);
  return 0;
}

// Whatever is asked for is done before the call returns.
Status hipStreamCreateWithFlags(void** stream, unsigned) {
  return make_handle(state().streams, stream);
}
Status hipStreamDestroy(void* stream) {
  return drop_handle(state().streams, stream);
}
Status hipStreamSynchronize(void* stream) {
  return check_stream(stream);
}
Status hipStreamWaitEvent(void* stream, void* event, unsigned) {
  const Status status = check_stream(stream);
  return status != 0 ? status : check_handle(state().events, event);
}
Status hipEventCreateWithFlags(void** event, unsigned) {
  return make_handle(state().events, event);
}
Status hipEventDestroy(void* event) {
  return drop_handle(state().events, event);
}
Status hipEventRecord(void* event, void* stream) {
  const Status status = check_stream(stream);
  return status != 0 ? status : check_handle(state().events, event);
}
Status hipEventQuery(void* event) {
  return check_handle(state().events, event);
}
Status hipEventSynchronize(void* event) {
  return check_handle(state().events, event);
}
Status hipEventElapsedTime(float* milliseconds, void* start, void* end) {
  *milliseconds = 0.5F;
  const Status status = check_handle(state().events, start);
  return status != 0 ? status : check_handle(state().events, end);
}

Status hipModuleLoadDataEx(void** module, const void* image, unsigned, int*, void**) {
  const std::lock_guard guard(state().mutex);
  // HIP is given no size: an ELF file ends with its section headers, as linkers write them.
  std::uint64_t sections = 0;
  std::uint16_t entry = 0;
  std::uint16_t count = 0;
  const char* const bytes = static_cast<const char*>(image);
  if (std::memcmp(bytes, "\177ELF", 4) != 0) return kInvalidImage;
  std::memcpy(&sections, bytes + 40, sizeof(sections));
  std::memcpy(&entry, bytes + 58, sizeof(entry));
  std::memcpy(&count, bytes + 60, sizeof(count));
  const json loaded = executor().ask({{"op", "load"}}, {bytes, sections + std::size_t{entry} * count});
  if (loaded.value("status", 1) != 0) return kInvalidImage;
  auto made = std::make_unique<Module>();
  made->number = loaded.at("module");
  for (const auto& [name, described] : loaded.at("kernels").items()) {
    auto kernel = std::make_unique<Kernel>();
    kernel->module = made->number;
    kernel->name = name;
    kernel->argument_bytes = described.at("bytes");
    for (const json& argument : described.at("arguments")) kernel->arguments.push_back({argument.at(0), argument.at(1)});
    made->kernels.push_back(std::move(kernel));
  }
  for (const auto& [name, described] : loaded.at("variables").items()) {
    made->variables[name] = {reinterpret_cast<char*>(described.at(0).get<std::uintptr_t>()), described.at(1)};
  }
  state().modules.insert(made.get());
  *module = made.release();
  return 0;
}
Status hipModuleUnload(void* module) {
  const std::lock_guard guard(state().mutex);
  auto* const mine = static_cast<Module*>(module);
  if (state().modules.erase(mine) == 0) return kInvalidHandle;
  const std::unique_ptr<Module> dropped(mine);
  executor().ask({{"op", "unload"}, {"module", dropped->number}});
  return 0;
}
Status hipModuleGetFunction(void** function, void* module, const char* name) {
  const std::lock_guard guard(state().mutex);
  if (state().modules.count(static_cast<Module*>(module)) == 0) return kInvalidHandle;
  for (const auto& kernel : static_cast<Module*>(module)->kernels) {
    if (kernel->name == name) {
      *function = kernel.get();
      return 0;
    }
  }
  return kNotFound;
}
Status hipModuleGetGlobal(void** address, std::size_t* bytes, void* module, const char* name) {
  const std::lock_guard guard(state().mutex);
  if (state().modules.count(static_cast<Module*>(module)) == 0) return kInvalidHandle;
  const auto& variables = static_cast<Module*>(module)->variables;
  const auto found = variables.find(name);
  if (found == variables.end()) return kNotFound;
  if (address != nullptr) *address = found->second.begin;
  if (bytes != nullptr) *bytes = found->second.bytes;
  return 0;
}
Status hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, std::size_t) {
  *blocks = 2;
  return 0;
}
Status hipModuleLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                             unsigned shared_bytes, void* stream, void** parameters, void**) {
  if (const Status status = check_stream(stream); status != 0) return status;
  // HIP counts work-items in 32 bits.
  if (std::uint64_t{gx} * bx >= std::uint64_t{1} << 32) return kInvalidConfiguration;
  const std::lock_guard guard(state().mutex);
  const Kernel& kernel = *static_cast<const Kernel*>(function);
  std::string arguments(kernel.argument_bytes, '\0');
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    std::memcpy(arguments.data() + kernel.arguments[i].offset, parameters[i], kernel.arguments[i].bytes);
  }
  json buffers = json::array();
  for (const auto& [begin, bytes] : state().arena.blocks()) buffers.push_back({reinterpret_cast<std::uintptr_t>(begin), bytes});
  return executor()
      .ask({{"op", "launch"},
            {"module", kernel.module},
            {"kernel", kernel.name},
            {"grid", {gx, gy, gz}},
            {"block", {bx, by, bz}},
            {"shared", shared_bytes},
            {"buffers", buffers}},
           arguments)
      .value("status", 999);
}

}  // extern "C"

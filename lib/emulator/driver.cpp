// libkiln-emulator.so answers the calls of the CUDA driver that kiln makes, and a few that its tests make.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/machine.hpp"

namespace kiln::emulator {
namespace {

constexpr std::size_t kDeviceBytes = std::size_t{4} << 30U;
constexpr int kMultiprocessors = 1;  // small: arrays that are not are more than one grid, so that threads loop
constexpr int kBlocksPerMultiprocessor = 2;
constexpr int kL2Bytes = 62'914'560;

struct Emulated {
  std::string target;
  Machine machine;
};

struct State {
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<Emulated>> devices;  ///< by ordinal; their addresses are their contexts
  std::map<void*, std::shared_ptr<Program>> modules;
  std::map<void*, std::unique_ptr<Kernel>> kernels;
  std::string message;
  int pool = 0;  ///< its address is the handle
};

State& state() {
  static auto* const all = new State;  // leaked: programs call at their very end
  return *all;
}

/// The contexts that a thread has made current, the last one on top. Without a destructor: programs call at their very end.
struct Contexts {
  std::array<void*, 64> all;
  std::size_t count;
};
thread_local Contexts contexts;

void* current() {
  return contexts.count == 0 ? nullptr : contexts.all[contexts.count - 1];
}

std::uint64_t seed() {
  const char* const asked = std::getenv("KILN_EMULATOR_SEED");
  const std::uint64_t value = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1;
  return value == 0 ? 1 : value;
}

std::string target() {
  const char* const asked = std::getenv("KILN_EMULATOR_TARGET");
  return asked != nullptr && *asked != '\0' ? asked : "sm_90";
}

/// That of the current context; null where there is none.
Emulated* device() {
  const auto& all = state().devices;
  const auto found = std::find_if(all.begin(), all.end(), [](const auto& each) { return each.get() == current(); });
  return found == all.end() ? nullptr : found->get();
}
Machine& machine() {
  return device()->machine;
}

constexpr const char* kTargets = "sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_103, sm_120 and sm_121 can be emulated";

/// The ordinal of the device of that architecture, made where there is none; -1 for a name that is none.
int ordinal_of(const std::string& target) {
  auto& all = state().devices;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k]->target == target) return static_cast<int>(k);
  }
  const auto limits = limits_of(target);
  if (!limits) {
    state().message = "there is no device \"emulated:" + target + "\": " + kTargets;
    return -1;
  }
  all.push_back(std::make_unique<Emulated>(Emulated{target, Machine(*limits, seed(), kDeviceBytes)}));
  return static_cast<int>(all.size()) - 1;
}

const Limits* limits(int ordinal) {
  const auto& all = state().devices;
  return ordinal < 0 || static_cast<std::size_t>(ordinal) >= all.size()
             ? nullptr
             : &all[static_cast<std::size_t>(ordinal)]->machine.limits();
}

std::uint32_t number(const void* handle) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle));
}
void* handle(std::uint32_t number) {
  return reinterpret_cast<void*>(std::uintptr_t{number});  // NOLINT(performance-no-int-to-ptr)
}
std::uint64_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}
void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

bool knows(const void* stream) {
  return machine().has_stream(address(stream));
}

/// Every call: one at a time, and in the device's context; a fault answers all that come behind it.
template <class Body>
int call(const Body& body) {
  const std::lock_guard guard(state().mutex);
  if (device() == nullptr) return invalid_context;
  Machine& at = machine();
  const auto answer = [&](int status) {
    if (at.fault() == 0) return status;
    state().message = at.message();
    return at.fault();
  };
  if (at.fault() != 0) return answer(at.fault());
  try {
    state().message.clear();
    at.progress();
    return answer(body());
  } catch (const std::exception& error) {
    state().message = error.what();
    return out_of_memory;
  }
}

const char* name_of(int status) {
  switch (status) {
    case success:
      return "CUDA_SUCCESS";
    case invalid_value:
      return "CUDA_ERROR_INVALID_VALUE";
    case out_of_memory:
      return "CUDA_ERROR_OUT_OF_MEMORY";
    case invalid_device:
      return "CUDA_ERROR_INVALID_DEVICE";
    case invalid_image:
      return "CUDA_ERROR_INVALID_IMAGE";
    case invalid_context:
      return "CUDA_ERROR_INVALID_CONTEXT";
    case invalid_ptx:
      return "CUDA_ERROR_INVALID_PTX";
    case invalid_handle:
      return "CUDA_ERROR_INVALID_HANDLE";
    case not_found:
      return "CUDA_ERROR_NOT_FOUND";
    case not_ready:
      return "CUDA_ERROR_NOT_READY";
    case static_cast<int>(Fault::illegal_address):
      return "CUDA_ERROR_ILLEGAL_ADDRESS";
    case out_of_resources:
      return "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
    case static_cast<int>(Fault::timeout):
      return "CUDA_ERROR_LAUNCH_TIMEOUT";
    case static_cast<int>(Fault::illegal_instruction):
      return "CUDA_ERROR_ILLEGAL_INSTRUCTION";
    case static_cast<int>(Fault::misaligned):
      return "CUDA_ERROR_MISALIGNED_ADDRESS";
    case static_cast<int>(Fault::launch_failed):
      return "CUDA_ERROR_LAUNCH_FAILED";
    default:
      return nullptr;
  }
}

const char* text_of(int status) {
  switch (status) {
    case success:
      return "no error";
    case invalid_value:
      return "invalid argument";
    case out_of_memory:
      return "out of memory";
    case invalid_device:
      return "invalid device ordinal";
    case invalid_image:
      return "device kernel image is invalid";
    case invalid_context:
      return "invalid device context";
    case invalid_ptx:
      return "a PTX JIT compilation failed";
    case invalid_handle:
      return "invalid resource handle";
    case not_found:
      return "named symbol not found";
    case not_ready:
      return "device not ready";
    case static_cast<int>(Fault::illegal_address):
      return "an illegal memory access was encountered";
    case out_of_resources:
      return "too many resources requested for launch";
    case static_cast<int>(Fault::timeout):
      return "the launch timed out and was terminated";
    case static_cast<int>(Fault::illegal_instruction):
      return "an illegal instruction was encountered";
    case static_cast<int>(Fault::misaligned):
      return "misaligned address";
    case static_cast<int>(Fault::launch_failed):
      return "unspecified launch failure";
    default:
      return nullptr;
  }
}

int told(const char* found, const char** text) {
  *text = found;
  return found == nullptr ? invalid_value : success;
}

void write_log(const std::string& text, unsigned count, const int* options, void** values) {
  constexpr int kErrorLog = 5;
  constexpr int kErrorLogBytes = 6;
  char* buffer = nullptr;
  std::size_t bytes = 0;
  for (unsigned k = 0; k < count; ++k) {
    if (options[k] == kErrorLog) buffer = static_cast<char*>(values[k]);
    if (options[k] == kErrorLogBytes) bytes = reinterpret_cast<std::uintptr_t>(values[k]);
  }
  if (buffer == nullptr || bytes == 0) return;
  const std::size_t length = std::min(text.size(), bytes - 1);
  std::memcpy(buffer, text.data(), length);
  buffer[length] = '\0';
}

}  // namespace
}  // namespace kiln::emulator

using namespace kiln::emulator;  // NOLINT(google-build-using-namespace): the calls below are C's

extern "C" {

/// What the emulator found: of the fault that answers all calls now, or of what the last call could not do; empty where there
/// is nothing to say. Valid until the thread's next call.
const char* kilnEmulatorMessage() {
  constexpr std::size_t kMost = 4096;
  thread_local std::array<char, kMost> text;
  const std::lock_guard guard(state().mutex);
  const std::size_t length = std::min(state().message.size(), kMost - 1);
  std::memcpy(text.data(), state().message.data(), length);
  text[length] = '\0';
  return text.data();
}
/// The ordinal of the device of that architecture ("sm_90"); -1 where there is none, which kilnEmulatorMessage() explains.
int kilnEmulatorDevice(const char* name) {
  const std::lock_guard guard(state().mutex);
  return ordinal_of(name);
}
/// Instructions that threads have executed, on all devices.
unsigned long long kilnEmulatorInstructions() {
  const std::lock_guard guard(state().mutex);
  unsigned long long all = 0;
  for (const auto& each : state().devices) all += each->machine.instructions();
  return all;
}

int cuInit(unsigned) {
  const std::lock_guard guard(state().mutex);
  if (!state().devices.empty() || ordinal_of(target()) >= 0) return success;
  state().message = "KILN_EMULATOR_TARGET is \"" + target() + "\": " + kTargets;
  return invalid_device;
}
int cuDriverGetVersion(int* version) {
  *version = 13000;
  return success;
}
int cuGetErrorName(int status, const char** text) {
  return told(name_of(status), text);
}
int cuGetErrorString(int status, const char** text) {
  return told(text_of(status), text);
}

int cuDeviceGetCount(int* count) {
  *count = 1;
  return success;
}
int cuDeviceGet(int* device, int index) {
  const std::lock_guard guard(state().mutex);
  *device = index;
  return limits(index) != nullptr ? success : invalid_device;
}
int cuDeviceGetName(char* name, int length, int device) {
  const std::lock_guard guard(state().mutex);
  if (limits(device) == nullptr) return invalid_device;
  const std::string text = "kiln's emulator of " + state().devices[static_cast<std::size_t>(device)]->target;
  std::strncpy(name, text.c_str(), static_cast<std::size_t>(length));
  return success;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = kDeviceBytes;
  return success;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const std::lock_guard guard(state().mutex);
  if (limits(device) == nullptr) return invalid_device;
  const Limits& limits = *kiln::emulator::limits(device);
  switch (attribute) {
    case 1:
    case 2:
    case 3:
      *value = 1024;
      return success;
    case 4:
      *value = 64;
      return success;
    case 5:
      *value = 2147483647;
      return success;
    case 6:
    case 7:
      *value = 65535;
      return success;
    case 8:
      *value = 49152;
      return success;
    case 10:
      *value = 32;
      return success;
    case 16:
      *value = kMultiprocessors;
      return success;
    case 38:
      *value = kL2Bytes;
      return success;
    case 39:
      *value = limits.threads_per_multiprocessor;
      return success;
    case 75:
      *value = limits.capability / 10;
      return success;
    case 76:
      *value = limits.capability % 10;
      return success;
    case 97:
      *value = limits.shared_on_request;
      return success;
    case 115:
      *value = 1;
      return success;
    default:
      return invalid_value;
  }
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  const std::lock_guard guard(state().mutex);
  if (limits(device) == nullptr) return invalid_device;
  *context = state().devices[static_cast<std::size_t>(device)].get();
  return success;
}
int cuCtxGetCurrent(void** context) {
  *context = current();
  return success;
}
int cuCtxPushCurrent_v2(void* context) {
  if (contexts.count == contexts.all.size()) return invalid_value;
  contexts.all[contexts.count++] = context;
  return success;
}
int cuCtxPopCurrent_v2(void** context) {
  if (contexts.count == 0) return invalid_context;
  *context = contexts.all[--contexts.count];
  return success;
}
int cuCtxSetCurrent(void* context) {
  if (contexts.count == 0) ++contexts.count;
  contexts.all[contexts.count - 1] = context;
  return success;
}
int cuCtxSynchronize() {
  return call([] {
    machine().synchronize();
    return success;
  });
}

int cuMemAlloc_v2(void** at, std::size_t bytes) {
  return call([&]() -> int {
    if (bytes == 0) return invalid_value;
    *at = pointer(machine().allocate(bytes, std::nullopt));
    return *at == nullptr ? out_of_memory : success;
  });
}
int cuMemFree_v2(void* at) {
  return call([&] { return machine().free(address(at), std::nullopt); });
}
int cuMemPoolCreate(void** pool, const void*) {
  *pool = &state().pool;
  return success;
}
int cuMemPoolSetAttribute(void* pool, int, void*) {
  return pool == &state().pool ? success : invalid_value;
}
int cuMemPoolTrimTo(void*, std::size_t) {
  return success;
}
int cuMemAllocFromPoolAsync(void** at, std::size_t bytes, void* pool, void* stream) {
  return call([&]() -> int {
    if (bytes == 0 || pool != &state().pool || !knows(stream)) return invalid_value;
    *at = pointer(machine().allocate(bytes, number(stream)));
    return *at == nullptr ? out_of_memory : success;
  });
}
int cuMemFreeAsync(void* at, void* stream) {
  return call([&]() -> int { return knows(stream) ? machine().free(address(at), number(stream)) : invalid_handle; });
}
int cuMemcpyHtoDAsync_v2(void* to, const void* from, std::size_t bytes, void* stream) {
  return call([&]() -> int {
    return knows(stream) ? machine().copy_to_device(address(to), from, bytes, number(stream)) : invalid_handle;
  });
}
int cuMemcpyDtoHAsync_v2(void* to, void* from, std::size_t bytes, void* stream) {
  return call([&]() -> int {
    return knows(stream) ? machine().copy_to_host(to, address(from), bytes, number(stream)) : invalid_handle;
  });
}
int cuMemcpyDtoDAsync_v2(void* to, void* from, std::size_t bytes, void* stream) {
  return call([&]() -> int {
    return knows(stream) ? machine().copy_on_device(address(to), address(from), bytes, number(stream)) : invalid_handle;
  });
}

int cuStreamCreate(void** stream, unsigned flags) {
  return call([&] {
    *stream = handle(machine().make_stream((flags & 1U) == 0));
    return success;
  });
}
int cuStreamDestroy_v2(void* stream) {
  return call([&]() -> int {
    if (stream == nullptr || !knows(stream)) return invalid_handle;
    machine().destroy_stream(number(stream));
    return success;
  });
}
int cuStreamSynchronize(void* stream) {
  return call([&]() -> int {
    if (!knows(stream)) return invalid_handle;
    machine().synchronize(number(stream));
    return success;
  });
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  return call([&]() -> int {
    if (!knows(stream) || !machine().has_event(address(event))) return invalid_handle;
    machine().wait(number(stream), number(event));
    return success;
  });
}
int cuStreamGetCtx(void* stream, void** context) {
  return call([&]() -> int {
    *context = current();
    return knows(stream) ? success : invalid_handle;
  });
}
int cuEventCreate(void** event, unsigned) {
  return call([&] {
    *event = handle(machine().make_event());
    return success;
  });
}
int cuEventDestroy_v2(void* event) {
  return call([&]() -> int {
    if (!machine().has_event(address(event))) return invalid_handle;
    machine().destroy_event(number(event));
    return success;
  });
}
int cuEventRecord(void* event, void* stream) {
  return call([&]() -> int {
    if (!knows(stream) || !machine().has_event(address(event))) return invalid_handle;
    machine().record(number(event), number(stream));
    return success;
  });
}
int cuEventQuery(void* event) {
  return call([&]() -> int {
    if (!machine().has_event(address(event))) return invalid_handle;
    return machine().is_done(number(event)) ? success : not_ready;
  });
}
int cuEventSynchronize(void* event) {
  return call([&]() -> int {
    if (!machine().has_event(address(event))) return invalid_handle;
    machine().synchronize_event(number(event));
    return success;
  });
}
int cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  return call([&]() -> int {
    if (!machine().has_event(address(start)) || !machine().has_event(address(end))) return invalid_handle;
    if (!machine().is_done(number(start)) || !machine().is_done(number(end))) return not_ready;
    *milliseconds = machine().elapsed(number(start), number(end));
    return success;
  });
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, const int* options, void** values) {
  return call([&]() -> int {
    const auto* const text = static_cast<const char*>(image);
    // Machine code is not what runs here.
    if (std::memcmp(text,
                    "\x7f"
                    "ELF",
                    4) == 0) {
      write_log("the emulator runs PTX; this is machine code", count, options, values);
      return invalid_image;
    }
    try {
      std::shared_ptr<Program> program = machine().load(text);
      void* const made = program.get();
      state().modules.emplace(made, std::move(program));
      *module = made;
      return success;
    } catch (const PtxError& error) {
      state().message = error.what();
      write_log(error.what(), count, options, values);
      return invalid_ptx;
    }
  });
}
int cuModuleUnload(void* module) {
  return call([&]() -> int {
    const auto found = state().modules.find(module);
    if (found == state().modules.end()) return invalid_handle;
    machine().unload(*found->second);
    std::erase_if(state().kernels, [&](const auto& kernel) { return kernel.second->program == found->second; });
    state().modules.erase(found);
    return success;
  });
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  return call([&]() -> int {
    const auto found = state().modules.find(module);
    if (found == state().modules.end()) return invalid_handle;
    const Code* const code = found->second->kernel(name);
    if (code == nullptr) return not_found;
    auto made = std::make_unique<Kernel>(Kernel{found->second, code});
    *function = made.get();
    state().kernels.emplace(*function, std::move(made));
    return success;
  });
}
int cuFuncGetAttribute(int* value, int attribute, void* function) {
  return call([&]() -> int {
    const auto found = state().kernels.find(function);
    if (found == state().kernels.end()) return invalid_handle;
    const Kernel& kernel = *found->second;
    const int most = kernel.code->function->most_threads;
    switch (attribute) {
      case 0:
        *value = most != 0 ? most : 1024;
        return success;
      case 1:
        *value = static_cast<int>(kernel.program->static_shared);
        return success;
      case 3:
        *value = static_cast<int>(kernel.code->local_bytes);
        return success;
      default:
        return invalid_value;
    }
  });
}
int cuFuncSetAttribute(void* function, int attribute, int value) {
  return call([&]() -> int {
    const auto found = state().kernels.find(function);
    if (found == state().kernels.end()) return invalid_handle;
    constexpr int kMostDynamicShared = 8;
    if (attribute != kMostDynamicShared) return invalid_value;
    if (value + static_cast<int>(found->second->program->static_shared) > machine().limits().shared_on_request)
      return invalid_value;
    found->second->dynamic_shared_allowed = value;
    return success;
  });
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, std::size_t) {
  *blocks = kBlocksPerMultiprocessor;
  return success;
}
int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared_bytes, void* stream, void** parameters, void**) {
  return call([&]() -> int {
    const auto found = state().kernels.find(function);
    if (found == state().kernels.end() || !knows(stream)) return invalid_handle;
    return machine().launch(*found->second, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, number(stream),
                            parameters);
  });
}

}  // extern "C"

// A CUDA driver for tests: real bookkeeping over host memory, in which everything is done when the call returns, and launches
// are written down and not run. See fake_cuda.hpp.
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "fake_cuda.hpp"
#include "memory.hpp"
#include "module.hpp"

namespace {

using namespace fake_cuda;

constexpr std::size_t kDeviceBytes = std::size_t{1} << 30;
constexpr int kDevices = 2;
constexpr int kMostSharedOnRequest = 232448;  // of a block of sm_90, in bytes
constexpr std::size_t kMostLog = 1 << 20;     // nobody reads the log of a program that calls so much

struct State {
  std::recursive_mutex mutex;
  std::string log, log_copy;
  struct Failure {
    int after, status;
  };
  std::map<std::string, Failure> fail_next;
  int fault = 0;
  bool busy = false, pools = true, null_next = false;
  int major = 9, minor = 0;
  Memory memory, host_memory;
  std::map<char*, std::size_t> registered;  // page-locked host memory of the caller's
  std::size_t kept = 0;                     // what was freed to the pool since it was trimmed
  std::set<std::uintptr_t> streams, foreign_streams, events;
  std::map<void*, std::unique_ptr<Module>> modules;  // each is the handle of its kernel, too
  std::deque<FakeLaunch> launches;
  using Graph = std::vector<FakeLaunch>;
  std::map<std::uintptr_t, Graph> captures;  // by stream
  std::map<std::uintptr_t, Graph> graphs;    // executable ones, too
  std::uintptr_t next_handle = 1;
};
State& state() {
  static State* const one = new State;
  return *one;
}

int primary_context, foreign_context, the_pool;
thread_local std::vector<void*> contexts;

std::uintptr_t number(void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

/// What every call does: writes the log, answers a failure that was asked for, and wants the right context where it matters.
int enter(const char* symbol, const std::string& details, bool needs_context = true) {
  State& s = state();
  if (s.log.size() > kMostLog) s.log.clear();
  s.log += symbol + (details.empty() ? "" : " " + details) + "\n";
  if (const auto found = s.fail_next.find(symbol); found != s.fail_next.end() && found->second.after-- == 0) {
    const int status = found->second.status;
    s.fail_next.erase(found);
    return status;
  }
  if (needs_context && s.fault != 0) return s.fault;
  if (needs_context && (contexts.empty() || contexts.back() != &primary_context)) return kInvalidContext;
  return 0;
}

int take_memory(void** address, std::size_t bytes) {
  if (bytes == 0) return kInvalidValue;
  *address = state().memory.allocate(bytes, kDeviceBytes);
  return *address == nullptr ? kOutOfMemory : 0;
}

int give_memory(void* address) {
  return state().memory.free(address) ? 0 : kInvalidValue;
}

/// Of a stream that takes work now: one that is captured takes launches alone.
bool known_stream(void* stream) {
  if (state().captures.count(number(stream)) != 0) return false;
  return stream == nullptr || state().streams.count(number(stream)) != 0;
}

std::string on(void* stream) {
  return "stream=" + std::to_string(number(stream));
}

}  // namespace

#define FAKE_ENTER(...)                       \
  const std::lock_guard guard(state().mutex); \
  if (const int status = enter(__func__, __VA_ARGS__); status != 0) return status

extern "C" {

void kiln_fake_reset() {
  const std::lock_guard guard(state().mutex);
  state().log.clear();
  state().launches.clear();
  state().fail_next.clear();
  state().fault = 0;
  state().busy = false;
  state().pools = true;
  state().major = 9;
  state().minor = 0;
}
void kiln_fake_fail_next(const char* symbol, int status) {
  state().fail_next[symbol] = {0, status};
}
void kiln_fake_null_next() {
  state().null_next = true;
}
void kiln_fake_fail_after(int calls, const char* symbol, int status) {
  state().fail_next[symbol] = {calls, status};
}
void kiln_fake_fault(int status) {
  state().fault = status;
}
void kiln_fake_set_busy(int busy) {
  state().busy = busy != 0;
}
void kiln_fake_set_pools(int supported) {
  state().pools = supported != 0;
}
void kiln_fake_set_capability(int major, int minor) {
  state().major = major;
  state().minor = minor;
}
const char* kiln_fake_log() {
  state().log_copy = state().log;
  return state().log_copy.c_str();
}
int kiln_fake_live_allocations() {
  return static_cast<int>(state().memory.count());
}
void* kiln_fake_stream(int foreign) {
  const std::uintptr_t handle = state().next_handle++;
  state().streams.insert(handle);
  if (foreign != 0) state().foreign_streams.insert(handle);
  return reinterpret_cast<void*>(handle);
}
int kiln_fake_live_host_memory() {
  return static_cast<int>(state().host_memory.count() + state().registered.size());
}
int kiln_fake_live_streams() {
  return static_cast<int>(state().streams.size());
}
int kiln_fake_live_events() {
  return static_cast<int>(state().events.size());
}
int kiln_fake_live_modules() {
  return static_cast<int>(state().modules.size());
}
int kiln_fake_live_graphs() {
  return static_cast<int>(state().graphs.size() + state().captures.size());
}
int kiln_fake_context_depth() {
  return static_cast<int>(contexts.size());
}
void kiln_fake_push_foreign_context() {
  contexts.push_back(&foreign_context);
}
void kiln_fake_pop_context() {
  contexts.pop_back();
}
int kiln_fake_launch_count() {
  return static_cast<int>(state().launches.size());
}
const FakeLaunch* kiln_fake_launch(int index) {
  return &state().launches.at(static_cast<std::size_t>(index));
}

int cuInit(unsigned) {
  FAKE_ENTER("", false);
  return 0;
}
int cuDriverGetVersion(int* version) {
  const char* const wanted = std::getenv("KILN_FAKE_CUDA_VERSION");
  *version = wanted != nullptr ? std::atoi(wanted) : 13000;
  return 0;
}
int cuGetErrorName(int status, const char** text) {
  switch (status) {
    case 0:
      *text = "CUDA_SUCCESS";
      return 0;
    case kInvalidValue:
      *text = "CUDA_ERROR_INVALID_VALUE";
      return 0;
    case kOutOfMemory:
      *text = "CUDA_ERROR_OUT_OF_MEMORY";
      return 0;
    case kInvalidImage:
      *text = "CUDA_ERROR_INVALID_IMAGE";
      return 0;
    case kInvalidContext:
      *text = "CUDA_ERROR_INVALID_CONTEXT";
      return 0;
    case kInvalidPtx:
      *text = "CUDA_ERROR_INVALID_PTX";
      return 0;
    case kInvalidHandle:
      *text = "CUDA_ERROR_INVALID_HANDLE";
      return 0;
    case kNotFound:
      *text = "CUDA_ERROR_NOT_FOUND";
      return 0;
    case kIllegalAddress:
      *text = "CUDA_ERROR_ILLEGAL_ADDRESS";
      return 0;
    default:
      *text = nullptr;
      return kInvalidValue;
  }
}
int cuGetErrorString(int status, const char** text) {
  switch (status) {
    case kOutOfMemory:
      *text = "out of memory";
      return 0;
    case kInvalidImage:
      *text = "device kernel image is invalid";
      return 0;
    case kInvalidPtx:
      *text = "a PTX JIT compilation failed";
      return 0;
    case kIllegalAddress:
      *text = "an illegal memory access was encountered";
      return 0;
    default:
      *text = nullptr;
      return kInvalidValue;
  }
}

int cuDeviceGetCount(int* count) {
  *count = kDevices;
  return 0;
}
int cuDeviceGet(int* device, int index) {
  if (index < 0 || index >= kDevices) return kInvalidDevice;
  *device = index;
  return 0;
}
int cuDeviceGetName(char* name, int length, int) {
  std::strncpy(name, "kiln's fake device (for tests: runs nothing)", static_cast<std::size_t>(length));
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = kDeviceBytes;
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 1:
    case 2:
    case 3:
      *value = 1024;
      return 0;
    case 4:
      *value = 64;
      return 0;
    case 6:
    case 7:
      *value = 65535;
      return 0;
    case 5:
      *value = 2147483647;
      return 0;
    case 8:
      *value = 49152;
      return 0;
    case 10:
      *value = 32;
      return 0;
    case 16:
      *value = 132;
      return 0;
    case 38:
      *value = 62914560;
      return 0;
    case 39:
      *value = 2048;
      return 0;
    case 75:
      *value = state().major;
      return 0;
    case 76:
      *value = state().minor;
      return 0;
    case 97:
      *value = kMostSharedOnRequest;
      return 0;
    case 115:
      *value = state().pools ? 1 : 0;
      return 0;
    default:
      return kInvalidValue;
  }
}

int cuDevicePrimaryCtxRetain(void** context, int) {
  FAKE_ENTER("", false);
  *context = &primary_context;
  return 0;
}
int cuCtxGetCurrent(void** context) {
  if (const auto found = state().fail_next.find("cuCtxGetCurrent"); found != state().fail_next.end()) {
    return found->second.status;
  }
  *context = contexts.empty() ? nullptr : contexts.back();
  return 0;
}
int cuCtxPushCurrent_v2(void* context) {
  FAKE_ENTER("", false);
  contexts.push_back(context);
  return 0;
}
int cuCtxPopCurrent_v2(void** context) {
  FAKE_ENTER("", false);
  if (contexts.empty()) return kInvalidContext;
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}
int cuCtxSetCurrent(void* context) {  // hip_over_cuda's way; kiln pushes and pops
  FAKE_ENTER("", false);
  if (contexts.empty()) contexts.emplace_back();
  contexts.back() = context;
  return 0;
}
int cuCtxSynchronize() {
  FAKE_ENTER("");
  state().busy = false;
  return 0;
}

int cuMemAlloc_v2(void** address, std::size_t bytes) {
  FAKE_ENTER("bytes=" + std::to_string(bytes));
  return take_memory(address, bytes);
}
int cuMemFree_v2(void* address) {
  FAKE_ENTER("");
  return give_memory(address);
}
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  FAKE_ENTER("");
  *total = kDeviceBytes;
  *free = kDeviceBytes - state().memory.used();
  return 0;
}
int cuMemPoolCreate(void** pool, const void*) {
  FAKE_ENTER("", false);
  *pool = &the_pool;
  return 0;
}
int cuMemPoolSetAttribute(void* pool, int attribute, void* value) {
  FAKE_ENTER("attribute=" + std::to_string(attribute) + " value=" + std::to_string(*static_cast<std::uint64_t*>(value)), false);
  return pool == &the_pool ? 0 : kInvalidValue;
}
int cuMemPoolGetAttribute(void* pool, int attribute, void* value) {
  FAKE_ENTER("attribute=" + std::to_string(attribute), false);
  constexpr int kReserved = 5;
  *static_cast<std::uint64_t*>(value) = state().memory.used() + (attribute == kReserved ? state().kept : 0);
  return pool == &the_pool ? 0 : kInvalidValue;
}
int cuMemPoolTrimTo(void*, std::size_t bytes) {
  FAKE_ENTER("bytes=" + std::to_string(bytes), false);
  state().kept = bytes;
  return 0;
}
int cuMemAllocFromPoolAsync(void** address, std::size_t bytes, void* pool, void* stream) {
  FAKE_ENTER(on(stream) + " bytes=" + std::to_string(bytes));
  if (state().null_next) {
    state().null_next = false;
    *address = nullptr;
    return 0;
  }
  return pool == &the_pool && known_stream(stream) ? take_memory(address, bytes) : kInvalidValue;
}
int cuMemFreeAsync(void* address, void* stream) {
  FAKE_ENTER(on(stream));
  if (!known_stream(stream)) return kInvalidHandle;
  const std::size_t before = state().memory.used();
  const int status = give_memory(address);
  state().kept += before - state().memory.used();
  return status;
}
int cuMemcpyHtoDAsync_v2(void* to, const void* from, std::size_t bytes, void* stream) {
  FAKE_ENTER(on(stream) + " bytes=" + std::to_string(bytes));
  if (!known_stream(stream) || !state().memory.contains(to, bytes)) return kInvalidValue;
  std::memcpy(to, from, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, void* from, std::size_t bytes, void* stream) {
  FAKE_ENTER(on(stream) + " bytes=" + std::to_string(bytes));
  if (!known_stream(stream) || !state().memory.contains(from, bytes)) return kInvalidValue;
  std::memcpy(to, from, bytes);
  return 0;
}
int cuMemcpyDtoDAsync_v2(void* to, void* from, std::size_t bytes, void* stream) {
  FAKE_ENTER(on(stream) + " bytes=" + std::to_string(bytes));
  if (!known_stream(stream) || !state().memory.contains(to, bytes) || !state().memory.contains(from, bytes))
    return kInvalidValue;
  std::memmove(to, from, bytes);
  return 0;
}

int cuMemcpyPeerAsync(void* to, void*, void* from, void*, std::size_t bytes, void* stream) {
  FAKE_ENTER(on(stream) + " bytes=" + std::to_string(bytes));
  if (!known_stream(stream) || !state().memory.contains(to, bytes) || !state().memory.contains(from, bytes))
    return kInvalidValue;
  std::memmove(to, from, bytes);
  return 0;
}
int cuMemHostAlloc(void** address, std::size_t bytes, unsigned flags) {
  FAKE_ENTER("bytes=" + std::to_string(bytes) + " flags=" + std::to_string(flags));
  if (bytes == 0) return kInvalidValue;
  *address = state().host_memory.allocate(bytes, kDeviceBytes);
  return *address == nullptr ? kOutOfMemory : 0;
}
int cuMemFreeHost(void* address) {
  FAKE_ENTER("");
  return state().host_memory.free(address) ? 0 : kInvalidValue;
}
int cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned flags) {
  FAKE_ENTER("bytes=" + std::to_string(bytes) + " flags=" + std::to_string(flags));
  char* const begin = static_cast<char*>(address);
  for (const auto& [other, count] : state().registered) {
    if (begin < other + count && other < begin + bytes) return kAlreadyPageLocked;
  }
  state().registered[begin] = bytes;
  return 0;
}
int cuMemHostUnregister(void* address) {
  FAKE_ENTER("");
  return state().registered.erase(static_cast<char*>(address)) != 0 ? 0 : kInvalidValue;
}

int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  FAKE_ENTER("");
  *least = 0;
  *greatest = -5;
  return 0;
}
int cuStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  FAKE_ENTER("flags=" + std::to_string(flags) + " priority=" + std::to_string(priority));
  const std::uintptr_t handle = state().next_handle++;
  state().streams.insert(handle);
  *stream = reinterpret_cast<void*>(handle);
  return 0;
}
int cuStreamCreate(void** stream, unsigned flags) {
  FAKE_ENTER("flags=" + std::to_string(flags));
  const std::uintptr_t handle = state().next_handle++;
  state().streams.insert(handle);
  *stream = reinterpret_cast<void*>(handle);
  return 0;
}
int cuStreamDestroy_v2(void* stream) {
  FAKE_ENTER(on(stream));
  return state().streams.erase(number(stream)) != 0 ? 0 : kInvalidHandle;
}
int cuStreamSynchronize(void* stream) {
  FAKE_ENTER(on(stream));
  state().busy = false;
  return known_stream(stream) ? 0 : kInvalidHandle;
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  FAKE_ENTER(on(stream));
  return known_stream(stream) && state().events.count(number(event)) != 0 ? 0 : kInvalidHandle;
}
int cuStreamGetCtx(void* stream, void** context) {
  FAKE_ENTER(on(stream));
  if (!known_stream(stream)) return kInvalidHandle;
  *context = state().foreign_streams.count(number(stream)) != 0 ? &foreign_context : &primary_context;
  return 0;
}
int cuStreamBeginCapture_v2(void* stream, int mode) {
  FAKE_ENTER(on(stream) + " mode=" + std::to_string(mode));
  if (stream == nullptr) return kCaptureUnsupported;
  if (!known_stream(stream)) return kInvalidHandle;
  state().captures[number(stream)];
  return 0;
}
int cuStreamEndCapture(void* stream, void** graph) {
  FAKE_ENTER(on(stream));
  const auto found = state().captures.find(number(stream));
  if (found == state().captures.end()) return kInvalidHandle;
  const std::uintptr_t handle = state().next_handle++;
  state().graphs[handle] = std::move(found->second);
  state().captures.erase(found);
  *graph = reinterpret_cast<void*>(handle);
  return 0;
}
int cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
  FAKE_ENTER("");
  const auto found = state().graphs.find(number(graph));
  if (found == state().graphs.end()) return kInvalidHandle;
  const std::uintptr_t handle = state().next_handle++;
  state().graphs[handle] = found->second;
  *executable = reinterpret_cast<void*>(handle);
  return 0;
}
int cuGraphDestroy(void* graph) {
  FAKE_ENTER("");
  return state().graphs.erase(number(graph)) != 0 ? 0 : kInvalidHandle;
}
int cuGraphExecDestroy(void* executable) {
  FAKE_ENTER("");
  return state().graphs.erase(number(executable)) != 0 ? 0 : kInvalidHandle;
}
int cuGraphLaunch(void* executable, void* stream) {
  FAKE_ENTER(on(stream));
  const auto found = state().graphs.find(number(executable));
  if (found == state().graphs.end() || !known_stream(stream)) return kInvalidHandle;
  for (FakeLaunch launch : found->second) {
    launch.stream = number(stream);
    state().launches.push_back(launch);
  }
  return 0;
}
int cuEventCreate(void** event, unsigned flags) {
  FAKE_ENTER("flags=" + std::to_string(flags));
  const std::uintptr_t handle = state().next_handle++;
  state().events.insert(handle);
  *event = reinterpret_cast<void*>(handle);
  return 0;
}
int cuEventDestroy_v2(void* event) {
  FAKE_ENTER("");
  return state().events.erase(number(event)) != 0 ? 0 : kInvalidHandle;
}
int cuEventRecord(void* event, void* stream) {
  FAKE_ENTER(on(stream));
  return known_stream(stream) && state().events.count(number(event)) != 0 ? 0 : kInvalidHandle;
}
int cuEventQuery(void* event) {
  FAKE_ENTER("");
  if (state().events.count(number(event)) == 0) return kInvalidHandle;
  return state().busy ? kNotReady : 0;
}
int cuEventSynchronize(void* event) {
  FAKE_ENTER("");
  if (state().events.count(number(event)) == 0) return kInvalidHandle;
  state().busy = false;
  return 0;
}
int cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  FAKE_ENTER("");
  if (state().events.count(number(start)) == 0 || state().events.count(number(end)) == 0) return kInvalidHandle;
  if (state().busy) return kNotReady;
  *milliseconds = 0.5F;
  return 0;
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, const int* options, void** values) {
  FAKE_ENTER("");
  auto made = std::make_unique<Module>();
  if (const int status = load({image, count, options, values}, *made); status != 0) return status;
  *module = made.get();
  state().modules[made.get()] = std::move(made);
  return 0;
}
int cuModuleUnload(void* module) {
  FAKE_ENTER("");
  const auto found = state().modules.find(module);
  if (found == state().modules.end()) return kInvalidHandle;
  if (found->second->faults != nullptr) state().memory.free(found->second->faults);
  state().modules.erase(found);
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  FAKE_ENTER(name);
  if (state().modules.count(module) == 0) return kInvalidHandle;
  if (std::strcmp(name, "kiln_kernel") != 0) return kNotFound;
  *function = module;
  return 0;
}
int cuModuleGetGlobal_v2(void** address, std::size_t* bytes, void* module, const char* name) {
  FAKE_ENTER(name);
  const auto found = state().modules.find(module);
  if (found == state().modules.end()) return kInvalidHandle;
  Module& of = *found->second;
  if (of.fault_bytes == 0 || std::strcmp(name, "kiln_faults") != 0) return kNotFound;
  if (of.faults == nullptr) {
    of.faults = state().memory.allocate(of.fault_bytes, SIZE_MAX);
    std::memset(of.faults, 0, of.fault_bytes);
  }
  *address = of.faults;
  *bytes = of.fault_bytes;
  return 0;
}
int cuFuncGetAttribute(int* value, int attribute, void* function) {
  FAKE_ENTER("", false);
  const auto found = state().modules.find(function);
  if (found == state().modules.end()) return kInvalidHandle;
  if (attribute != 0 && attribute != 1) return kInvalidValue;
  *value = attribute == 0 ? 1024 : found->second->shared_bytes;
  return 0;
}
int cuFuncSetAttribute(void* function, int attribute, int value) {
  FAKE_ENTER("attribute=" + std::to_string(attribute) + " value=" + std::to_string(value));
  const auto found = state().modules.find(function);
  if (found == state().modules.end()) return kInvalidHandle;
  return attribute == 8 && value <= kMostSharedOnRequest - found->second->shared_bytes ? 0 : kInvalidValue;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int block, std::size_t) {
  FAKE_ENTER("block=" + std::to_string(block));
  *blocks = 8;
  return 0;
}
int cuLaunchKernel(void* function, unsigned grid_x, unsigned, unsigned, unsigned block_x, unsigned, unsigned, unsigned,
                   void* stream, void** parameters, void**) {
  FAKE_ENTER(on(stream));
  const auto found = state().modules.find(function);
  const auto capture = state().captures.find(number(stream));
  const bool captured = capture != state().captures.end();
  if (found == state().modules.end() || !(captured || known_stream(stream))) return kInvalidHandle;
  const std::vector<int>& sizes = found->second->parameter_sizes;
  FakeLaunch& launch = captured ? capture->second.emplace_back() : state().launches.emplace_back();
  launch.grid = grid_x;
  launch.block = block_x;
  launch.stream = number(stream);
  launch.parameter_count = static_cast<int>(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    launch.sizes[i] = sizes[i];
    std::memcpy(launch.bytes[i], parameters[i], static_cast<std::size_t>(sizes[i]));
  }
  return 0;
}

}  // extern "C"

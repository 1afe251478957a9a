// A CUDA driver for tests: memory, streams, events and graphs are those of libkiln-emulator.so. Calls are written down,
// failures that were asked for are answered, and launches are written down and not run. See fake_cuda.hpp.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fake_cuda.hpp"

namespace {

constexpr int kOutOfMemory = 2, kInvalidImage = 200, kNotReady = 600;
constexpr std::size_t kMostLog = 1 << 20;  // nobody reads the log of a program that calls so much
constexpr std::size_t kMostHostBytes = std::size_t{1} << 30;
constexpr int kDevices = 2;

using Launches = std::vector<FakeLaunch>;

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
  std::map<void*, std::size_t> allocations;
  std::size_t kept = 0;             // what was freed to the pool since it was trimmed
  std::map<std::string, int> live;  // what was made and not destroyed
  std::set<void*> foreign_streams;
  std::map<void*, std::vector<int>> parameter_sizes;  // by module, and by kernel
  std::deque<FakeLaunch> launches;
  std::map<void*, Launches> captures;  // by stream
  std::map<void*, Launches> graphs;    // executable ones, too
};
State& state() {
  static State* const one = new State;
  return *one;
}

int foreign_context;
thread_local int depth = 0;  // of the thread's contexts

/// The emulator's function of that name.
template <class Function>
Function real(const char* symbol) {
  static void* const emulator = dlopen(KILN_EMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void* const found = emulator != nullptr ? dlsym(emulator, symbol) : nullptr;
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function>(found);
}

/// Writes the call down; the failure that was asked for. A fault is answered by all calls but those of `always`.
int enter(const char* symbol, const std::string& details, bool always = false) {
  State& s = state();
  if (s.log.size() > kMostLog) s.log.clear();
  s.log += symbol + details + "\n";
  if (const auto found = s.fail_next.find(symbol); found != s.fail_next.end() && found->second.after-- == 0) {
    const int status = found->second.status;
    s.fail_next.erase(found);
    return status;
  }
  return always ? 0 : s.fault;
}

/// " name=value".
template <class T>
std::string shown(const char* name, T value) {
  return std::string(" ") + name + "=" + std::to_string(value);
}
std::string on(void* stream) {
  return shown("stream", reinterpret_cast<std::uintptr_t>(stream));
}
std::string of(std::size_t bytes) {
  return shown("bytes", bytes);
}

/// Counts what a call made or destroyed, if it did.
int counted(const char* what, int by, int status) {
  if (status == 0) state().live[what] += by;
  return status;
}
int allocated(void* address, std::size_t bytes, int status) {
  if (status == 0) state().allocations[address] = bytes;
  return status;
}
int waited(int status) {
  state().busy = false;
  return status;
}

/// PTX of a kernel that does nothing, as kFakeImage describes it. Empty: it is no such image.
std::string ptx_of(const char* image, std::vector<int>& sizes) {
  std::istringstream text(image);
  std::string word;
  int shared = 0;
  int faults = 0;
  if (std::getenv("KILN_FAKE_ANY_IMAGE") == nullptr) {
    text >> word;
    if (word != kFakeImage) return {};
    for (int size = 0; text >> size;) sizes.push_back(size);
    text.clear();
    while (text >> word) text >> (word == "shared" ? shared : faults);
  }
  const auto bytes = [](const std::string& name, int count) {
    return ".align 8 .b8 " + name + "[" + std::to_string(count) + "]";
  };
  std::string ptx = ".version 8.0\n.target sm_90\n.address_size 64\n";
  if (faults > 0) ptx += ".visible .global " + bytes("kiln_faults", faults) + ";\n";
  ptx += ".visible .entry kiln_kernel(";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ptx += (i == 0 ? ".param " : ", .param ") + bytes("p" + std::to_string(i), sizes[i]);
  }
  ptx += ")\n{\n";
  if (shared > 0) ptx += ".shared " + bytes("own", shared) + ";\n";
  return ptx + "ret;\n}\n";
}

}  // namespace

#define REAL(symbol) real<decltype(&(symbol))>(#symbol)
/// Begins a call: one at a time.
#define ENTER(...)                            \
  const std::lock_guard guard(state().mutex); \
  if (const int status = enter(__func__, __VA_ARGS__); status != 0) return status
/// A call that the emulator answers as it is.
#define PASS(symbol, parameters, arguments, ...) \
  int symbol parameters {                        \
    ENTER(__VA_ARGS__);                          \
    return REAL(symbol) arguments;               \
  }
/// The same of one that makes or destroys something.
#define PASS_COUNTED(symbol, parameters, arguments, what, by, ...) \
  int symbol parameters {                                          \
    ENTER(__VA_ARGS__);                                            \
    return counted(what, by, REAL(symbol) arguments);              \
  }
/// One that nobody asks about.
#define ANSWER(symbol, parameters, arguments) \
  int symbol parameters {                     \
    return REAL(symbol) arguments;            \
  }

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
  return static_cast<int>(state().allocations.size());
}
int kiln_fake_live_host_memory() {
  return state().live["host memory"];
}
int kiln_fake_live_streams() {
  return state().live["streams"];
}
int kiln_fake_live_events() {
  return state().live["events"];
}
int kiln_fake_live_modules() {
  return state().live["modules"];
}
int kiln_fake_live_graphs() {
  return static_cast<int>(state().graphs.size() + state().captures.size());
}
int kiln_fake_context_depth() {
  return depth;
}
int kiln_fake_launch_count() {
  return static_cast<int>(state().launches.size());
}
const FakeLaunch* kiln_fake_launch(int index) {
  return &state().launches.at(static_cast<std::size_t>(index));
}

int cuInit(unsigned flags) {
  ENTER("", true);
  const int status = REAL(cuInit)(flags);
  // Another architecture is another device.
  return status == 0 && real<int (*)(const char*)>("kilnEmulatorDevice")("sm_100") != 1 ? kOutOfMemory : status;
}
int cuDriverGetVersion(int* version) {
  const char* const wanted = std::getenv("KILN_FAKE_CUDA_VERSION");
  if (wanted == nullptr) return REAL(cuDriverGetVersion)(version);
  *version = std::atoi(wanted);
  return 0;
}
ANSWER(cuGetErrorName, (int error, const char** text), (error, text))
ANSWER(cuGetErrorString, (int error, const char** text), (error, text))

int cuDeviceGetCount(int* count) {
  *count = kDevices;
  return 0;
}
ANSWER(cuDeviceGet, (int* device, int index), (device, index))
ANSWER(cuDeviceGetName, (char* name, int length, int device), (name, length, device))
ANSWER(cuDeviceTotalMem_v2, (std::size_t* bytes, int device), (bytes, device))
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  constexpr int kMultiprocessors = 132;  // the emulator's one would make all grids small
  const std::map<int, int> own = {
      {16, kMultiprocessors}, {75, state().major}, {76, state().minor}, {115, state().pools ? 1 : 0}};
  const auto found = own.find(attribute);
  if (found == own.end()) return REAL(cuDeviceGetAttribute)(value, attribute, device);
  *value = found->second;
  return 0;
}

PASS(cuDevicePrimaryCtxRetain, (void** context, int device), (context, device), "", true)
int cuCtxGetCurrent(void** context) {
  const auto found = state().fail_next.find("cuCtxGetCurrent");
  return found != state().fail_next.end() ? found->second.status : REAL(cuCtxGetCurrent)(context);
}
int cuCtxPushCurrent_v2(void* context) {
  ENTER("", true);
  ++depth;
  return REAL(cuCtxPushCurrent_v2)(context);
}
int cuCtxPopCurrent_v2(void** context) {
  ENTER("", true);
  --depth;
  return REAL(cuCtxPopCurrent_v2)(context);
}
PASS(cuCtxSetCurrent, (void* context), (context), "", true)  // hip_over_cuda's way; kiln pushes and pops
int cuCtxSynchronize() {
  ENTER("");
  return waited(REAL(cuCtxSynchronize)());
}
void kiln_fake_push_foreign_context() {
  ++depth;
  REAL(cuCtxPushCurrent_v2)(&foreign_context);
}
void kiln_fake_pop_context() {
  void* context = nullptr;
  --depth;
  REAL(cuCtxPopCurrent_v2)(&context);
}

int cuMemAlloc_v2(void** address, std::size_t bytes) {
  ENTER(of(bytes));
  const int status = REAL(cuMemAlloc_v2)(address, bytes);
  return allocated(*address, bytes, status);
}
int cuMemFree_v2(void* address) {
  ENTER("");
  state().allocations.erase(address);
  return REAL(cuMemFree_v2)(address);
}
PASS(cuMemGetInfo_v2, (std::size_t* free, std::size_t* total), (free, total), "")
PASS(cuMemPoolCreate, (void** pool, const void* properties), (pool, properties), "", true)
PASS(cuMemPoolSetAttribute, (void* pool, int attribute, void* value), (pool, attribute, value),
     shown("attribute", attribute) + shown("value", *static_cast<std::uint64_t*>(value)), true)
int cuMemPoolGetAttribute(void*, int attribute, void* value) {
  ENTER(shown("attribute", attribute), true);
  constexpr int kReserved = 5;
  std::size_t bytes = attribute == kReserved ? state().kept : 0;
  for (const auto& each : state().allocations) bytes += each.second;
  *static_cast<std::uint64_t*>(value) = bytes;
  return 0;
}
int cuMemPoolTrimTo(void* pool, std::size_t bytes) {
  ENTER(of(bytes), true);
  state().kept = bytes;
  return REAL(cuMemPoolTrimTo)(pool, bytes);
}
int cuMemAllocFromPoolAsync(void** address, std::size_t bytes, void* pool, void* stream) {
  ENTER(on(stream) + of(bytes));
  if (std::exchange(state().null_next, false)) {
    *address = nullptr;
    return 0;
  }
  const int status = REAL(cuMemAllocFromPoolAsync)(address, bytes, pool, stream);
  return allocated(*address, bytes, status);
}
int cuMemFreeAsync(void* address, void* stream) {
  ENTER(on(stream));
  const int status = REAL(cuMemFreeAsync)(address, stream);
  const auto found = state().allocations.find(address);
  if (status != 0 || found == state().allocations.end()) return status;
  state().kept += found->second;
  state().allocations.erase(found);
  return 0;
}
PASS(cuMemcpyHtoDAsync_v2, (void* to, const void* from, std::size_t bytes, void* stream), (to, from, bytes, stream),
     on(stream) + of(bytes))
PASS(cuMemcpyDtoHAsync_v2, (void* to, void* from, std::size_t bytes, void* stream), (to, from, bytes, stream),
     on(stream) + of(bytes))
PASS(cuMemcpyDtoDAsync_v2, (void* to, void* from, std::size_t bytes, void* stream), (to, from, bytes, stream),
     on(stream) + of(bytes))
PASS(cuMemcpyPeerAsync, (void* to, void* to_context, void* from, void* from_context, std::size_t bytes, void* stream),
     (to, to_context, from, from_context, bytes, stream), on(stream) + of(bytes))
int cuMemHostAlloc(void** address, std::size_t bytes, unsigned flags) {
  ENTER(of(bytes) + shown("flags", flags));
  return bytes > kMostHostBytes ? kOutOfMemory : counted("host memory", 1, REAL(cuMemHostAlloc)(address, bytes, flags));
}
PASS_COUNTED(cuMemFreeHost, (void* address), (address), "host memory", -1, "")
PASS_COUNTED(cuMemHostRegister_v2, (void* address, std::size_t bytes, unsigned flags), (address, bytes, flags), "host memory",
             1, of(bytes) + shown("flags", flags))
PASS_COUNTED(cuMemHostUnregister, (void* address), (address), "host memory", -1, "")

PASS(cuCtxGetStreamPriorityRange, (int* least, int* greatest), (least, greatest), "")
PASS_COUNTED(cuStreamCreateWithPriority, (void** stream, unsigned flags, int priority), (stream, flags, priority), "streams", 1,
             shown("flags", flags) + shown("priority", priority))
PASS_COUNTED(cuStreamCreate, (void** stream, unsigned flags), (stream, flags), "streams", 1, shown("flags", flags))
PASS_COUNTED(cuStreamDestroy_v2, (void* stream), (stream), "streams", -1, on(stream))
int cuStreamSynchronize(void* stream) {
  ENTER(on(stream));
  return waited(REAL(cuStreamSynchronize)(stream));
}
PASS(cuStreamWaitEvent, (void* stream, void* event, unsigned flags), (stream, event, flags), on(stream))
int cuStreamGetCtx(void* stream, void** context) {
  ENTER(on(stream));
  const int status = REAL(cuStreamGetCtx)(stream, context);
  if (state().foreign_streams.contains(stream)) *context = &foreign_context;
  return status;
}
void* kiln_fake_stream(int foreign) {
  void* context = nullptr;
  void* stream = nullptr;
  REAL(cuDevicePrimaryCtxRetain)(&context, 0);
  REAL(cuCtxPushCurrent_v2)(context);
  counted("streams", 1, REAL(cuStreamCreate)(&stream, 1));
  REAL(cuCtxPopCurrent_v2)(&context);
  if (foreign != 0) state().foreign_streams.insert(stream);
  return stream;
}

PASS_COUNTED(cuEventCreate, (void** event, unsigned flags), (event, flags), "events", 1, shown("flags", flags))
PASS_COUNTED(cuEventDestroy_v2, (void* event), (event), "events", -1, "")
PASS(cuEventRecord, (void* event, void* stream), (event, stream), on(stream))
int cuEventSynchronize(void* event) {
  ENTER("");
  return waited(REAL(cuEventSynchronize)(event));
}
int cuEventQuery(void* event) {
  ENTER("");
  if (state().busy) return kNotReady;
  // Everything is done at once while nobody says otherwise.
  return REAL(cuEventSynchronize)(event);
}
int cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  ENTER("");
  return state().busy ? kNotReady : REAL(cuEventElapsedTime)(milliseconds, start, end);
}

int cuStreamBeginCapture_v2(void* stream, int mode) {
  ENTER(on(stream) + shown("mode", mode));
  const int status = REAL(cuStreamBeginCapture_v2)(stream, mode);
  if (status == 0) state().captures[stream];
  return status;
}
int cuGraphDestroy(void* graph) {
  ENTER("");
  state().graphs.erase(graph);
  return REAL(cuGraphDestroy)(graph);
}
int cuStreamEndCapture(void* stream, void** graph) {
  const std::lock_guard guard(state().mutex);
  const int status = enter(__func__, on(stream));
  const int ended = REAL(cuStreamEndCapture)(stream, graph);  // a capture is over, also where its end fails
  if (ended == 0) state().graphs[*graph] = std::move(state().captures.extract(stream).mapped());
  if (status == 0 || ended != 0) return status == 0 ? ended : status;
  state().graphs.erase(*graph);
  REAL(cuGraphDestroy)(*graph);
  return status;
}
int cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long flags) {
  ENTER("");
  const int status = REAL(cuGraphInstantiateWithFlags)(executable, graph, flags);
  if (status == 0) state().graphs[*executable] = state().graphs[graph];
  return status;
}
int cuGraphExecDestroy(void* executable) {
  ENTER("");
  state().graphs.erase(executable);
  return REAL(cuGraphExecDestroy)(executable);
}
int cuGraphLaunch(void* executable, void* stream) {
  ENTER(on(stream));
  const int status = REAL(cuGraphLaunch)(executable, stream);
  for (FakeLaunch launch : status == 0 ? state().graphs[executable] : Launches()) {
    launch.stream = reinterpret_cast<std::uintptr_t>(stream);
    state().launches.push_back(launch);
  }
  return status;
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options, void** values) {
  ENTER("");
  const auto* const text = static_cast<const char*>(image);
  std::vector<int> sizes;
  std::string ptx = ptx_of(text, sizes);
  if (ptx.empty() && std::strncmp(text, ".version", 8) == 0) ptx = text;
  if (ptx.empty()) return kInvalidImage;
  const int status = counted("modules", 1, REAL(cuModuleLoadDataEx)(module, ptx.c_str(), count, options, values));
  if (status == 0) state().parameter_sizes[*module] = sizes;
  return status;
}
PASS_COUNTED(cuModuleUnload, (void* module), (module), "modules", -1, "")
int cuModuleGetFunction(void** function, void* module, const char* name) {
  ENTER(std::string(" ") + name);
  const int status = REAL(cuModuleGetFunction)(function, module, name);
  if (status == 0) state().parameter_sizes[*function] = state().parameter_sizes[module];
  return status;
}
PASS(cuModuleGetGlobal_v2, (void** address, std::size_t* bytes, void* module, const char* name), (address, bytes, module, name),
     std::string(" ") + name)
PASS(cuFuncGetAttribute, (int* value, int attribute, void* function), (value, attribute, function), "", true)
PASS(cuFuncSetAttribute, (void* function, int attribute, int value), (function, attribute, value),
     shown("attribute", attribute) + shown("value", value))
PASS(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int* blocks, void* function, int block, std::size_t shared),
     (blocks, function, block, shared), shown("block", block))
int cuLaunchKernel(void* function, unsigned grid_x, unsigned, unsigned, unsigned block_x, unsigned, unsigned, unsigned,
                   void* stream, void** parameters, void**) {
  ENTER(on(stream));
  const std::vector<int>& sizes = state().parameter_sizes.at(function);
  const auto capture = state().captures.find(stream);
  FakeLaunch launch{};
  launch.grid = grid_x;
  launch.block = block_x;
  launch.stream = reinterpret_cast<std::uintptr_t>(stream);
  launch.parameter_count = static_cast<int>(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    launch.sizes[i] = sizes[i];
    std::memcpy(launch.bytes[i], parameters[i], static_cast<std::size_t>(sizes[i]));
  }
  if (capture != state().captures.end()) {
    capture->second.push_back(launch);
  } else {
    state().launches.push_back(launch);
  }
  return 0;
}

}  // extern "C"

// HIP's runtime and hipRTC over CUDA's driver and NVRTC, as far as kiln calls them, so that kiln's HIP path (device selection,
// symbol table, options, code objects) is executed on NVIDIA hardware and on libkiln-emulator.so. For tests only; AMD's own
// numbers it cannot show.
//
// KILN_HIP and KILN_HIPRTC name this library. KILN_HIP_OVER_CUDA_DRIVER and KILN_HIP_OVER_CUDA_NVRTC name other files than
// libcuda.so.1 and the newest libnvrtc of CUDA_PATH, of /usr/local/cuda, or that the loader finds.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "compiler/gpu/diagnostics.hpp"

namespace {

using Status = int;
constexpr Status kNoDriver = 100;       // hipErrorNoDevice
constexpr Status kUnknownSymbol = 500;  // hipErrorNotFound
constexpr Status kInvalidValue = 1;
constexpr const char* kArch = "gfx90a:sramecc+:xnack-";

void* open_any(const char* variable, std::initializer_list<const char*> names) {
  if (const char* named = std::getenv(variable)) return dlopen(named, RTLD_NOW | RTLD_LOCAL);
  for (const char* name : names) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

void* driver() {
  static void* const library = open_any("KILN_HIP_OVER_CUDA_DRIVER", {"libcuda.so.1"});
  return library;
}
/// NVRTC opens its builtins by their bare name: those of the folder are open before.
void* open_with_builtins(const std::filesystem::path& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::error_code error;
  if (library == nullptr || !file.is_absolute()) return library;
  for (const auto& entry : std::filesystem::directory_iterator(file.parent_path(), error)) {
    if (entry.path().filename().string().starts_with("libnvrtc-builtins.so."))
      dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  return library;
}

void* open_nvrtc() {
  if (const char* named = std::getenv("KILN_HIP_OVER_CUDA_NVRTC")) return open_with_builtins(named);
  const char* const home = std::getenv("CUDA_PATH");
  const std::string cuda = home != nullptr && *home != '\0' ? home : "/usr/local/cuda";
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) {
    for (const std::string& folder : {cuda + "/lib64/", cuda + "/lib/", std::string()}) {
      if (void* library = open_with_builtins(folder + name)) return library;
    }
  }
  return nullptr;
}

void* nvrtc() {
  static void* const library = open_nvrtc();
  return library;
}

/// libkiln-emulator.so, which takes PTX alone.
bool emulated() {
  return driver() != nullptr && dlsym(driver(), "kilnEmulatorMessage") != nullptr;
}

/// Calls a function of the library with the C types of the arguments given.
template <typename... Arguments>
Status call(void* library, const char* name, Arguments... arguments) {
  if (library == nullptr) return kNoDriver;
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) return kUnknownSymbol;
  return reinterpret_cast<Status (*)(Arguments...)>(symbol)(arguments...);
}
#define CU(name, ...) call(driver(), #name, __VA_ARGS__)
#define RTC(name, ...) call(nvrtc(), #name, __VA_ARGS__)

// A device of HIP is chosen for a thread; CUDA wants its primary context current.
thread_local int selected = 0;

Status enter() {
  constexpr int kMost = 64;
  static void* contexts[kMost] = {};
  if (selected < 0 || selected >= kMost) return kInvalidValue;
  void* context = __atomic_load_n(&contexts[selected], __ATOMIC_ACQUIRE);
  if (context == nullptr) {
    if (const Status status = CU(cuDevicePrimaryCtxRetain, &context, selected); status != 0) return status;
    __atomic_store_n(&contexts[selected], context, __ATOMIC_RELEASE);
  }
  return CU(cuCtxSetCurrent, context);
}

#define ENTER() \
  if (const Status entered = enter(); entered != 0) return entered

std::string architecture() {
  int major = 9;
  int minor = 0;
  if (CU(cuInit, 0U) == 0) {
    static_cast<void>(CU(cuDeviceGetAttribute, &major, 75, 0));
    static_cast<void>(CU(cuDeviceGetAttribute, &minor, 76, 0));
  }
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

/// A hipRTC option in NVRTC's words; "?" for one that hipRTC's clang would not know, nothing for one that has no counterpart.
std::string translated(std::string_view option) {
  if (option.starts_with("--offload-arch=")) return "--gpu-architecture=" + architecture();
  if (option == "-std=c++20") return "--std=c++20";
  if (option == "-Werror=return-type") return "--diag-error=940";
  if (option == "-ffp-contract=off") return "-fmad=false";
  if (option == "-ffp-contract=fast") return "-fmad=true";
  if (option == "-ffast-math") return "-use_fast_math";
  if (option == "-O3" || option == "-nostdinc" || option.starts_with("-W") || option.starts_with("--system-header-prefix="))
    return {};
  return option.starts_with("-D") ? std::string(option) : "?";
}

/// NVRTC's log as clang would have printed it.
std::string clang_log(const std::string& log) {
  std::string text;
  for (const kiln::Diagnostic& d : kiln::backend::gpu::parse_nvrtc(log)) {
    const char* const words[] = {"note", "warning", "error"};
    text += d.file + ":" + std::to_string(d.line) + ":" + std::to_string(d.column) + ": " +
            words[static_cast<int>(d.severity)] + ": " + d.text + "\n";
    if (!d.source_line.empty() && d.column > 0) {
      text += d.source_line + "\n" + std::string(static_cast<std::size_t>(d.column - 1), ' ') + "^\n";
    }
  }
  return text;
}

}  // namespace

extern "C" {

Status hipInit(unsigned flags) {
  return CU(cuInit, flags);
}
Status hipRuntimeGetVersion(int* version) {
  *version = 60000000;
  return 0;
}
const char* hipGetErrorName(Status status) {
  switch (status) {
    case 0:
      return "hipSuccess";
    case 1:
      return "hipErrorInvalidValue";
    case 2:
      return "hipErrorOutOfMemory";
    case 100:
      return "hipErrorNoDevice";
    case 101:
      return "hipErrorInvalidDevice";
    case 200:
      return "hipErrorInvalidImage";
    case 500:
      return "hipErrorNotFound";
    case 700:
      return "hipErrorIllegalAddress";
    case 719:
      return "hipErrorLaunchFailure";
    default:
      break;
  }
  const char* text = nullptr;
  static_cast<void>(CU(cuGetErrorName, status, &text));
  return text != nullptr ? text : "hipErrorUnknown";
}
const char* hipGetErrorString(Status status) {
  const char* text = nullptr;
  static_cast<void>(CU(cuGetErrorString, status, &text));
  return text != nullptr ? text : hipGetErrorName(status);
}
Status hipGetDeviceCount(int* count) {
  return CU(cuDeviceGetCount, count);
}
Status hipDeviceGet(int* device, int index) {
  return CU(cuDeviceGet, device, index);
}
Status hipDeviceGetName(char* name, int length, int device) {
  return CU(cuDeviceGetName, name, length, device);
}
Status hipDeviceTotalMem(std::size_t* bytes, int device) {
  return CU(cuDeviceTotalMem_v2, bytes, device);
}
Status hipDeviceGetAttribute(int* value, int attribute, int device) {
  constexpr int kNumbers[][2] = {{87, 10}, {63, 16}, {57, 39}, {56, 1},  {29, 5},   {26, 2},  {27, 3}, {28, 4},
                                 {30, 6},  {31, 7},  {74, 8},  {19, 38}, {88, 115}, {23, 75}, {61, 76}};
  for (const auto& [hip, cuda] : kNumbers) {
    if (hip == attribute) return CU(cuDeviceGetAttribute, value, cuda, device);
  }
  return kInvalidValue;
}
Status hipGetDevicePropertiesR0600(void* properties, int device) {
  constexpr std::size_t kArchOffset = 1160;
  std::memcpy(static_cast<char*>(properties) + kArchOffset, kArch, std::strlen(kArch) + 1);
  return CU(cuDeviceGetName, static_cast<char*>(properties), 255, device);
}
Status hipGetDevice(int* device) {
  *device = selected;
  return 0;
}
Status hipSetDevice(int device) {
  int count = 0;
  if (const Status status = CU(cuDeviceGetCount, &count); status != 0) return status;
  if (device < 0 || device >= count) return 101;
  selected = device;
  return enter();
}
Status hipDeviceSynchronize() {
  ENTER();
  if (driver() == nullptr) return kNoDriver;
  return reinterpret_cast<Status (*)()>(dlsym(driver(), "cuCtxSynchronize"))();
}

Status hipMalloc(void** address, std::size_t bytes) {
  ENTER();
  return CU(cuMemAlloc_v2, address, bytes);
}
Status hipFree(void* address) {
  ENTER();
  return CU(cuMemFree_v2, address);
}
Status hipMemPoolCreate(void** pool, const void* properties) {
  ENTER();
  return CU(cuMemPoolCreate, pool, properties);
}
Status hipMemPoolSetAttribute(void* pool, int attribute, void* value) {
  ENTER();
  return CU(cuMemPoolSetAttribute, pool, attribute, value);
}
Status hipMemGetInfo(std::size_t* free, std::size_t* total) {
  ENTER();
  return CU(cuMemGetInfo_v2, free, total);
}
Status hipMemPoolGetAttribute(void* pool, int attribute, void* value) {
  ENTER();
  return CU(cuMemPoolGetAttribute, pool, attribute, value);
}
Status hipMemPoolTrimTo(void* pool, std::size_t bytes) {
  ENTER();
  return CU(cuMemPoolTrimTo, pool, bytes);
}
Status hipMallocFromPoolAsync(void** address, std::size_t bytes, void* pool, void* stream) {
  ENTER();
  return CU(cuMemAllocFromPoolAsync, address, bytes, pool, stream);
}
Status hipFreeAsync(void* address, void* stream) {
  ENTER();
  return CU(cuMemFreeAsync, address, stream);
}
Status hipMemcpyHtoDAsync(void* to, const void* from, std::size_t bytes, void* stream) {
  ENTER();
  return CU(cuMemcpyHtoDAsync_v2, to, from, bytes, stream);
}
Status hipMemcpyDtoHAsync(void* to, void* from, std::size_t bytes, void* stream) {
  ENTER();
  return CU(cuMemcpyDtoHAsync_v2, to, from, bytes, stream);
}
Status hipMemcpyDtoDAsync(void* to, void* from, std::size_t bytes, void* stream) {
  ENTER();
  return CU(cuMemcpyDtoDAsync_v2, to, from, bytes, stream);
}
Status hipMemcpyPeerAsync(void* to, int to_device, void* from, int from_device, std::size_t bytes, void* stream) {
  ENTER();
  void* to_context = nullptr;
  void* from_context = nullptr;
  if (const Status status = CU(cuDevicePrimaryCtxRetain, &to_context, to_device); status != 0) return status;
  if (const Status status = CU(cuDevicePrimaryCtxRetain, &from_context, from_device); status != 0) return status;
  return CU(cuMemcpyPeerAsync, to, to_context, from, from_context, bytes, stream);
}
Status hipHostMalloc(void** address, std::size_t bytes, unsigned flags) {
  ENTER();
  return CU(cuMemHostAlloc, address, bytes, flags);
}
Status hipHostFree(void* address) {
  ENTER();
  return CU(cuMemFreeHost, address);
}
Status hipHostRegister(void* address, std::size_t bytes, unsigned flags) {
  ENTER();
  return CU(cuMemHostRegister_v2, address, bytes, flags);
}
Status hipHostUnregister(void* address) {
  ENTER();
  return CU(cuMemHostUnregister, address);
}
Status hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  ENTER();
  return CU(cuCtxGetStreamPriorityRange, least, greatest);
}
Status hipStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  ENTER();
  return CU(cuStreamCreateWithPriority, stream, flags, priority);
}
Status hipStreamCreateWithFlags(void** stream, unsigned flags) {
  ENTER();
  return CU(cuStreamCreate, stream, flags);
}
Status hipStreamDestroy(void* stream) {
  ENTER();
  return CU(cuStreamDestroy_v2, stream);
}
Status hipStreamSynchronize(void* stream) {
  ENTER();
  return CU(cuStreamSynchronize, stream);
}
Status hipStreamWaitEvent(void* stream, void* event, unsigned flags) {
  ENTER();
  return CU(cuStreamWaitEvent, stream, event, flags);
}
Status hipStreamBeginCapture(void* stream, int mode) {
  ENTER();
  return CU(cuStreamBeginCapture_v2, stream, mode);
}
Status hipStreamEndCapture(void* stream, void** graph) {
  ENTER();
  return CU(cuStreamEndCapture, stream, graph);
}
Status hipGraphDestroy(void* graph) {
  ENTER();
  return CU(cuGraphDestroy, graph);
}
Status hipGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long flags) {
  ENTER();
  return CU(cuGraphInstantiateWithFlags, executable, graph, flags);
}
Status hipGraphExecDestroy(void* executable) {
  ENTER();
  return CU(cuGraphExecDestroy, executable);
}
Status hipGraphLaunch(void* executable, void* stream) {
  ENTER();
  return CU(cuGraphLaunch, executable, stream);
}
Status hipEventCreateWithFlags(void** event, unsigned flags) {
  ENTER();
  return CU(cuEventCreate, event, flags);
}
Status hipEventDestroy(void* event) {
  ENTER();
  return CU(cuEventDestroy_v2, event);
}
Status hipEventRecord(void* event, void* stream) {
  ENTER();
  return CU(cuEventRecord, event, stream);
}
Status hipEventQuery(void* event) {
  ENTER();
  return CU(cuEventQuery, event);
}
Status hipEventSynchronize(void* event) {
  ENTER();
  return CU(cuEventSynchronize, event);
}
Status hipEventElapsedTime(float* milliseconds, void* start, void* end) {
  ENTER();
  return CU(cuEventElapsedTime, milliseconds, start, end);
}
Status hipModuleLoadDataEx(void** module, const void* image, unsigned, int*, void**) {
  ENTER();
  return CU(cuModuleLoadDataEx, module, image, 0U, static_cast<int*>(nullptr), static_cast<void**>(nullptr));
}
Status hipModuleUnload(void* module) {
  ENTER();
  return CU(cuModuleUnload, module);
}
Status hipModuleGetFunction(void** function, void* module, const char* name) {
  ENTER();
  return CU(cuModuleGetFunction, function, module, name);
}
Status hipModuleGetGlobal(void** address, std::size_t* bytes, void* module, const char* name) {
  ENTER();
  return CU(cuModuleGetGlobal_v2, address, bytes, module, name);
}
Status hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int block, std::size_t shared_bytes) {
  ENTER();
  return CU(cuOccupancyMaxActiveBlocksPerMultiprocessor, blocks, function, block, shared_bytes);
}
Status hipModuleLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                             unsigned shared_bytes, void* stream, void** parameters, void** extra) {
  ENTER();
  // HIP counts work-items in 32 bits.
  if (std::uint64_t{gx} * bx >= std::uint64_t{1} << 32) return 9;  // hipErrorInvalidConfiguration
  return CU(cuLaunchKernel, function, gx, gy, gz, bx, by, bz, shared_bytes, stream, parameters, extra);
}

Status hiprtcVersion(int* major, int* minor) {
  *major = 6;
  *minor = 0;
  return nvrtc() == nullptr ? 11 : 0;
}
const char* hiprtcGetErrorString(Status status) {
  return status == 0 ? "HIPRTC_SUCCESS" : status == 6 ? "HIPRTC_ERROR_COMPILATION" : "HIPRTC_ERROR_INTERNAL_ERROR";
}
Status hiprtcCreateProgram(void** program, const char* source, const char* name, int headers, const char* const* texts,
                           const char* const* names) {
  return RTC(nvrtcCreateProgram, program, source, name, headers, texts, names);
}
Status hiprtcDestroyProgram(void** program) {
  return RTC(nvrtcDestroyProgram, program);
}
Status hiprtcCompileProgram(void* program, int count, const char* const* options) {
  std::vector<std::string> words = {"-default-device", "--device-int128"};
  for (int i = 0; i < count; ++i) {
    std::string word = translated(options[i]);
    if (word == "?") return 5;
    if (!word.empty()) words.push_back(std::move(word));
  }
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  return RTC(nvrtcCompileProgram, program, static_cast<int>(pointers.size()), static_cast<const char* const*>(pointers.data()));
}
namespace {
std::string log_of(void* program) {
  std::size_t bytes = 0;
  if (RTC(nvrtcGetProgramLogSize, program, &bytes) != 0 || bytes == 0) return {};
  std::string log(bytes, '\0');
  if (RTC(nvrtcGetProgramLog, program, log.data()) != 0) return {};
  log.pop_back();  // NVRTC counts the terminating zero
  return clang_log(log);
}
}  // namespace
Status hiprtcGetProgramLogSize(void* program, std::size_t* bytes) {
  *bytes = log_of(program).size() + 1;
  return 0;
}
Status hiprtcGetProgramLog(void* program, char* log) {
  const std::string text = log_of(program);
  std::memcpy(log, text.c_str(), text.size() + 1);
  return 0;
}
Status hiprtcGetCodeSize(void* program, std::size_t* bytes) {
  return emulated() ? RTC(nvrtcGetPTXSize, program, bytes) : RTC(nvrtcGetCUBINSize, program, bytes);
}
Status hiprtcGetCode(void* program, char* code) {
  return emulated() ? RTC(nvrtcGetPTX, program, code) : RTC(nvrtcGetCUBIN, program, code);
}

}  // extern "C"

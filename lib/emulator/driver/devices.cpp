// The emulator's own calls, and the driver's of devices and contexts.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emulator/driver/state.hpp"

namespace kiln::emulator {
namespace {

constexpr int kMultiprocessors = 1;  // small: arrays that are not are more than one grid, so that threads loop
constexpr int kL2Bytes = 62'914'560;

std::string target() {
  const char* const asked = std::getenv("KILN_EMULATOR_TARGET");
  return asked != nullptr && *asked != '\0' ? asked : "sm_90";
}

/// By CUDA's numbers of them.
std::optional<int> attribute_of(const Limits& limits, int attribute) {
  switch (attribute) {
    case 1:  // threads of a block, and its extents
    case 2:
    case 3:
      return 1024;
    case 4:
      return 64;
    case 5:  // extents of a grid
      return 2147483647;
    case 6:
    case 7:
      return 65535;
    case 8:  // shared memory of a block
      return 49152;
    case 10:
      return static_cast<int>(kLanes);
    case 16:
      return kMultiprocessors;
    case 38:
      return kL2Bytes;
    case 39:
      return limits.threads_per_multiprocessor;
    case 75:  // compute capability
      return limits.capability / 10;
    case 76:
      return limits.capability % 10;
    case 97:
      return limits.shared_on_request;
    case 115:  // memory pools
      return 1;
    default:
      return std::nullopt;
  }
}

int answer(const char* found, const char** text) {
  *text = found;
  return found == nullptr ? invalid_value : success;
}

}  // namespace
}  // namespace kiln::emulator

using namespace kiln::emulator;

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
  return state().ordinal_of(name);
}
/// Instructions that threads have executed, on all devices.
unsigned long long kilnEmulatorInstructions() {
  const std::lock_guard guard(state().mutex);
  unsigned long long all = 0;
  for (const auto& each : state().devices) all += each->machine.instructions();
  return all;
}
/// Of the next allocations, `after` go as ever; then `times` are refused as where there is no room.
void kilnEmulatorRefuseMemory(int after, int times) {
  const std::lock_guard guard(state().mutex);
  state().refuse_after = after;
  state().refuse_times = times;
}

int cuInit(unsigned) {
  const std::lock_guard guard(state().mutex);
  if (!state().devices.empty() || state().ordinal_of(target()) >= 0) return success;
  if (!limits_of(target())) state().message = "KILN_EMULATOR_TARGET is \"" + target() + "\": " + kTargets;
  return invalid_device;
}
int cuDriverGetVersion(int* version) {
  *version = 13000;
  return success;
}
int cuGetErrorName(int status, const char** text) {
  return answer(name_of(status), text);
}
int cuGetErrorString(int status, const char** text) {
  return answer(text_of(status), text);
}

int cuDeviceGetCount(int* count) {
  *count = 1;
  return success;
}
int cuDeviceGet(int* device, int index) {
  const std::lock_guard guard(state().mutex);
  *device = index;
  return state().device(index) != nullptr ? success : invalid_device;
}
int cuDeviceGetName(char* name, int length, int device) {
  const std::lock_guard guard(state().mutex);
  const Emulated* const found = state().device(device);
  if (found == nullptr) return invalid_device;
  const std::string text = "kiln's emulator of " + found->target;
  std::strncpy(name, text.c_str(), static_cast<std::size_t>(length));
  return success;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = kDeviceBytes;
  return success;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const std::lock_guard guard(state().mutex);
  const Emulated* const found = state().device(device);
  if (found == nullptr) return invalid_device;
  const std::optional<int> known = attribute_of(found->machine.limits(), attribute);
  if (known) *value = *known;
  return known ? success : invalid_value;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  const std::lock_guard guard(state().mutex);
  *context = state().device(device);
  return *context != nullptr ? success : invalid_device;
}
int cuCtxGetCurrent(void** context) {
  *context = contexts().current();
  return success;
}
int cuCtxPushCurrent_v2(void* context) {
  Contexts& own = contexts();
  if (own.count == own.all.size()) return invalid_value;
  own.all[own.count++] = context;
  return success;
}
int cuCtxPopCurrent_v2(void** context) {
  Contexts& own = contexts();
  if (own.count == 0) return invalid_context;
  *context = own.all[--own.count];
  return success;
}
int cuCtxSetCurrent(void* context) {
  Contexts& own = contexts();
  if (own.count == 0) ++own.count;
  own.all[own.count - 1] = context;
  return success;
}
int cuCtxSynchronize() {
  return call([] {
    machine().synchronize();
    return success;
  });
}

}  // extern "C"

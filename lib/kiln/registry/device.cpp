// Device values: names to devices and back, and the choice of the best one.
#include "kiln/device.hpp"
#include "base/fork.hpp"
#include "base/variables.hpp"
#include "device/gpu/devices.hpp"
#include "registry/registry.hpp"
#include "types/reason.hpp"

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>

#include "base/have_cpu.hpp"
#include "kiln/error.hpp"

namespace kiln {
namespace {

constexpr int kMostThreads = 4096;
constexpr const char* kForms =
    "\"cpu\", \"cpu:N\" (N threads), \"cuda\", \"cuda:N\", \"hip\", \"hip:N\" (GPU number N), \"emulated:sm_NN\", \"best\"";

/// The device of set_default() as one word, so that best() takes no lock; 0: none.
constinit std::atomic<std::uint64_t> default_device{0};
constinit thread_local const Device* scoped_device = nullptr;
constexpr std::uint64_t kIsSet = std::uint64_t{1} << 63;

Device choose_best() {
  base::tell_misspelled_variables();
  if (const char* wanted = std::getenv("KILN_DEVICE"); wanted != nullptr && *wanted != '\0') {
    if (std::string_view(wanted) != "best") return Device::from_string(wanted);
  }
  if (backend::gpu::device_count(DeviceKind::cuda) > 0) return Device::cuda(0);
  if (backend::gpu::device_count(DeviceKind::hip) > 0) return Device::hip(0);
  return Device::cpu();
}

std::string gpu_name(DeviceKind kind, int index) {
  return (kind == DeviceKind::cuda ? "cuda:" : "hip:") + std::to_string(index);
}

void check_gpu(DeviceKind kind, int index) {
  const int count = backend::gpu::device_count(kind);
  if (index >= 0 && index < count) return;
  if (count > 0) {
    throw Because<DeviceError>(Reason::device, "there is no device " + gpu_name(kind, index) + ": this machine has " +
                                                   gpu_name(kind, 0) +
                                                   (count > 1 ? " to " + gpu_name(kind, count - 1) : " only"));
  }
  throw Because<DeviceError>(Reason::device,
                             "there is no device " + gpu_name(kind, index) + ": " + backend::gpu::why_none(kind));
}

}  // namespace

Device Device::cpu(CpuOptions options) {
  if (options.threads < 0 || options.threads > kMostThreads) {
    throw DeviceError("Device::cpu: threads is " + std::to_string(options.threads) + "; give a number from 1 to " +
                      std::to_string(kMostThreads) + ", or 0 for every hardware thread");
  }
  return {DeviceKind::cpu, options.threads};
}

Device Device::cuda(int index) {
  check_gpu(DeviceKind::cuda, index);
  return {DeviceKind::cuda, index};
}

Device Device::hip(int index) {
  check_gpu(DeviceKind::hip, index);
  return {DeviceKind::hip, index};
}

Device Device::emulated(std::string_view target) {
  int capability = 0;
  if (target.starts_with("sm_")) {
    const auto [end, error] = std::from_chars(target.data() + 3, target.data() + target.size(), capability);
    if (error != std::errc{} || end != target.data() + target.size()) capability = 0;
  }
  const int index = backend::gpu::emulated_index(target);
  return {DeviceKind::cuda, index, capability};
}

// Once for the process: the answer must not change between two calls, and asking a driver takes time. A forked child is another
// process, which has no GPUs.
Device Device::best() {
  const bool forked = KILN_HAVE_CPU && base::forked();
  if (scoped_device != nullptr && (!forked || scoped_device->is_cpu())) return *scoped_device;
  if (const std::uint64_t word = default_device.load(std::memory_order_relaxed); word != 0) {
    const Device chosen(static_cast<DeviceKind>(word >> 56 & 0x7f), static_cast<int>(word & 0xffffffff),
                        static_cast<int>(word >> 32 & 0xffffff));
    if (!forked || chosen.is_cpu()) return chosen;
  }
  if (forked) {
    static const Device of_child = choose_best();
    return of_child;
  }
  static const Device best = choose_best();
  return best;
}

void Device::set_default(const Device& device) noexcept {
  default_device.store(kIsSet | static_cast<std::uint64_t>(device.kind_) << 56 |
                           static_cast<std::uint64_t>(device.capability_) << 32 | static_cast<std::uint64_t>(device.index_),
                       std::memory_order_relaxed);
}

void Device::reset_default() noexcept {
  default_device.store(0, std::memory_order_relaxed);
}

DeviceScope::DeviceScope(const Device& device) noexcept : device_(device), outer_(scoped_device) {
  scoped_device = &device_;
}

DeviceScope::~DeviceScope() {
  scoped_device = outer_;
}

std::vector<Device> Device::all() {
  base::tell_misspelled_variables();
  std::vector<Device> found;
  if (KILN_HAVE_CPU) found.push_back(cpu());
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::hip}) {
    const int count = backend::gpu::device_count(kind);
    for (int i = 0; i < count; ++i) found.push_back(Device(kind, i));
  }
  return found;
}

Device Device::from_string(std::string_view text) {
  if (text == "best") return best();
  const std::size_t colon = text.find(':');
  if (text.substr(0, colon) == "emulated" && colon != std::string_view::npos) return emulated(text.substr(colon + 1));
  const std::string_view kind = text.substr(0, colon);
  int number = 0;
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() || number < 0) {
      throw Because<DeviceError>(
          Reason::device, "unknown device \"" + std::string(text) + "\": expected a number after ':'; devices are " + kForms);
    }
  }
  if (kind == "cpu") {
    if (colon != std::string_view::npos && number == 0) {
      throw Because<DeviceError>(Reason::device, "unknown device \"" + std::string(text) +
                                                     "\": a CPU needs at least one thread; devices are " + kForms);
    }
    if (number > kMostThreads) {
      throw Because<DeviceError>(Reason::device, "unknown device \"" + std::string(text) + "\": a CPU has at most " +
                                                     std::to_string(kMostThreads) + " threads; devices are " + kForms);
    }
    return cpu({.threads = number});
  }
  if (kind == "cuda") return cuda(number);
  if (kind == "hip") return hip(number);
  throw Because<DeviceError>(Reason::device, "unknown device \"" + std::string(text) + "\"; devices are " + kForms);
}

DeviceInfo Device::info() const {
  return backend::backend_for(*this).info();
}

void Device::synchronize() const {
  backend::backend_for(*this).synchronize();
}

std::string to_string(const Device& device) {
  if (device.is_cpu()) return device.index() == 0 ? "cpu" : "cpu:" + std::to_string(device.index());
  if (device.is_emulated()) return "emulated:sm_" + std::to_string(device.capability_);
  return gpu_name(device.kind(), device.index());
}

}  // namespace kiln

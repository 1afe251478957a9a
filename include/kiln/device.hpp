// The devices that kernels run on: a CPU with a number of threads, an NVIDIA GPU or an AMD GPU. A Device is a small value that
// names one; nothing is opened until it is used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/export.hpp"

namespace kiln {

/// Vendor and sort of a device.
enum class DeviceKind : std::uint8_t {
  cpu,   ///< the processor that runs the program
  cuda,  ///< an NVIDIA GPU
  hip,   ///< an AMD GPU
};

/// Names and limits of a device, as its driver reports them.
struct DeviceInfo {
  std::string name;                    ///< "NVIDIA H200", "Intel(R) Xeon(R) Processor"
  std::string target;                  ///< architecture that kernels are compiled for: "sm_90", "gfx90a:xnack-", "x86-64-v4"
  std::string runtime;                 ///< "CUDA 13.0 (driver), NVRTC 13.0", "LLVM 19.1.7"
  std::int64_t memory_bytes = 0;       ///< memory of the whole device
  int multiprocessors = 0;             ///< SMs, compute units, or CPU threads
  int threads_per_multiprocessor = 0;  ///< resident threads at most; 1 on a CPU
  int warp_size = 0;                   ///< threads of a warp or wavefront; 1 on a CPU
  int max_threads_per_block = 0;       ///< threads; 1 on a CPU
  std::int64_t max_grid_blocks = 0;    ///< blocks along x; 0 on a CPU
  std::int64_t shared_bytes_per_block = 0;  ///< limit without a request for more; 0 on a CPU
  std::int64_t l2_bytes = 0;                ///< size of the last-level cache
};

/// A device that kernels run on: the CPU with a number of threads, or a GPU. A small value; safe from any thread. It names a
/// device, which is opened at first use.
class KILN_API Device {
 public:
  /// Options of cpu().
  struct CpuOptions {
    int threads = 0;  ///< number of threads; 0: every hardware thread that the process may use
  };

  /// Constructs the CPU with every hardware thread that the process may use.
  Device() noexcept = default;
  /// Returns the CPU with every hardware thread that the process may use.
  [[nodiscard]] static Device cpu() noexcept { return Device{}; }
  /// Returns the CPU with that many threads. Throws DeviceError for a negative number and for more than 4096.
  [[nodiscard]] static Device cpu(CpuOptions options);
  /// Returns the NVIDIA GPU of that number. Throws DeviceError, with every library path tried or the number of devices.
  [[nodiscard]] static Device cuda(int index = 0);
  /// Returns the AMD GPU of that number. Throws DeviceError, with every library path tried or the number of devices.
  [[nodiscard]] static Device hip(int index = 0);
  /// Returns a device of that architecture ("sm_75", "sm_90", "sm_100", …) that the host emulates; its kind is cuda. It
  /// interprets the PTX of kernels instruction by instruction, thousands of times slower than a GPU. NVRTC compiles the kernels
  /// if it is available, Clang otherwise; no GPU and no driver are needed.
  ///
  /// The emulator checks every access: out of bounds, misaligned, uninitialized shared memory, data races. It also checks that
  /// all threads reach a barrier, and that work waits for other streams' work that it uses. A defect throws DeviceError from
  /// the call, or from the next one that waits.
  ///
  /// Throws DeviceError for an unknown name, and if libkiln-emulator.so is missing.
  [[nodiscard]] static Device emulated(std::string_view target);
  /// Returns the device for calls on host arrays. The first of these that exists is returned:
  /// - the device of the thread's innermost DeviceScope;
  /// - the device of set_default();
  /// - the device that KILN_DEVICE names;
  /// - the first CUDA device, then the first HIP device, then the CPU.
  ///
  /// A process forked from one that used kiln has no GPUs, here and in all().
  [[nodiscard]] static Device best();
  /// Makes best() return that device in all threads. Calls that have begun are not affected.
  static void set_default(const Device& device) noexcept;
  /// Reverts set_default().
  static void reset_default() noexcept;
  /// Returns the CPU and every GPU found, the CPU first.
  [[nodiscard]] static std::vector<Device> all();
  /// Parses "cpu", "cpu:4" (four threads), "cuda", "cuda:1", "hip:0", "emulated:sm_90" or "best". Throws DeviceError, with the
  /// list of these forms, for other texts.
  [[nodiscard]] static Device from_string(std::string_view text);

  /// Returns the first device of a kind, available or not. The library itself uses it to plan calls.
  [[nodiscard]] static Device of_kind(DeviceKind kind) noexcept { return {kind, 0}; }

  /// Returns CPU, CUDA or HIP.
  [[nodiscard]] DeviceKind kind() const noexcept { return kind_; }
  /// Returns true for a device of emulated().
  [[nodiscard]] bool is_emulated() const noexcept { return capability_ != 0; }
  /// Returns the number of a GPU. For a CPU, returns the requested number of threads (0: all).
  [[nodiscard]] int index() const noexcept { return index_; }
  /// Returns true for the CPU, with any number of threads.
  [[nodiscard]] bool is_cpu() const noexcept { return kind_ == DeviceKind::cpu; }
  /// Returns the driver's report. Throws DeviceError if the driver is not available.
  [[nodiscard]] DeviceInfo info() const;
  /// Waits until all work queued on this device's default stream is done. Throws a fault of that work.
  void synchronize() const;
  /// Returns true if both devices share one memory, as all CPU devices do.
  [[nodiscard]] bool same_memory(const Device& other) const noexcept {
    return kind_ == other.kind_ && (is_cpu() || (index_ == other.index_ && capability_ == other.capability_));
  }
  /// Compares kind, index and emulated architecture.
  friend bool operator==(const Device& a, const Device& b) noexcept = default;

 private:
  Device(DeviceKind kind, int index, int capability = 0) noexcept
      : kind_(kind), index_(static_cast<std::int16_t>(index)), capability_(static_cast<std::int16_t>(capability)) {}
  DeviceKind kind_ = DeviceKind::cpu;
  std::int16_t index_ = 0;
  std::int16_t capability_ = 0;  // compute capability of an emulated device: 90 for sm_90; 0 for others
  friend KILN_API std::string to_string(const Device& device);
};

/// A scope in which Device::best() returns a device in this thread: `const DeviceScope on_gpu(Device::cuda(1));`. Scopes nest.
/// A scope ends in the thread that made it, before the scopes around it.
class KILN_API DeviceScope {
 public:
  /// Begins the scope.
  explicit DeviceScope(const Device& device) noexcept;
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  /// Ends the scope: best() returns what it returned before.
  ~DeviceScope();

 private:
  Device device_;
  const Device* outer_;
};

/// Returns "cpu", "cpu:4", "cuda:0", "emulated:sm_90".
[[nodiscard]] KILN_API std::string to_string(const Device& device);

}  // namespace kiln

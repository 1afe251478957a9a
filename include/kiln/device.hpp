// Where kernels run: a CPU with a number of threads, an NVIDIA GPU or an AMD GPU. A Device is a small value that names
// one; nothing is opened until it is used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/export.hpp"

namespace kiln {

/// Whose kernels a device runs.
enum class DeviceKind : std::uint8_t {
  cpu,   ///< the processor that runs the program
  cuda,  ///< an NVIDIA GPU
  hip,   ///< an AMD GPU
};

/// Names and limits of a device, as its driver reports them.
struct DeviceInfo {
  std::string name;                         ///< "NVIDIA H200", "Intel(R) Xeon(R) Processor"
  std::string target;                       ///< what kernels are compiled for: "sm_90", "gfx90a:xnack-", "x86-64-v4"
  std::string runtime;                      ///< "CUDA 13.0 (driver), NVRTC 13.0", "LLVM 19.1.7"
  std::int64_t memory_bytes = 0;            ///< of the whole device
  int multiprocessors = 0;                  ///< SMs, compute units, or CPU threads
  int threads_per_multiprocessor = 0;       ///< that it holds at once; 1 on a CPU
  int warp_size = 0;                        ///< warp or wavefront; 1 on a CPU
  int max_threads_per_block = 0;            ///< 1 on a CPU
  std::int64_t max_grid_blocks = 0;         ///< along x; 0 on a CPU
  std::int64_t shared_bytes_per_block = 0;  ///< without a request for more; 0 on a CPU
  std::int64_t l2_bytes = 0;                ///< last-level cache
};

/// A device that kernels run on: the CPU with a number of threads, or a GPU. A small value; safe from any thread. It names a
/// device and opens none: that is done at the first use.
class KILN_API Device {
 public:
  /// Options of cpu().
  struct CpuOptions {
    int threads = 0;  ///< 0: every hardware thread that the process may use
  };

  /// The CPU.
  Device() noexcept = default;
  /// The CPU with every hardware thread that the process may use.
  [[nodiscard]] static Device cpu() noexcept { return Device{}; }
  /// The CPU with that many threads. DeviceError for a negative number and for more than 4096.
  [[nodiscard]] static Device cpu(CpuOptions options);
  /// The GPU of that number; DeviceError names every library path tried, or the number of devices there are.
  [[nodiscard]] static Device cuda(int index = 0);
  /// The same for AMD GPUs.
  [[nodiscard]] static Device hip(int index = 0);
  /// A device of that architecture ("sm_75", "sm_90", "sm_100", …) that the host emulates: it runs the PTX of kernels
  /// instruction by instruction, thousands of times slower than a GPU, and checks each access: out of bounds, misaligned,
  /// races, barriers that not all threads reach, shared memory that nothing has written, work of other streams that nothing
  /// waits for. What it finds is the DeviceError of the call, or of the next that waits. Kernels are compiled by NVRTC where it
  /// is, else by Clang; no GPU and no driver are needed.
  /// DeviceError for a name that is none, and where libkiln-emulator.so is missing. Its kind is cuda.
  [[nodiscard]] static Device emulated(std::string_view target);
  /// Where calls on host arrays run: the device of the thread's innermost DeviceScope, else that of set_default(), else
  /// KILN_DEVICE, else the first CUDA device, else the first HIP device, else the CPU. In a process forked from one that used
  /// kiln there are no GPUs, here and in all().
  [[nodiscard]] static Device best();
  /// Makes best() give that device in all threads. Calls that have begun stay where they are.
  static void set_default(const Device& device) noexcept;
  /// Takes set_default() back.
  static void reset_default() noexcept;
  /// The CPU and every GPU found, the CPU first.
  [[nodiscard]] static std::vector<Device> all();
  /// "cpu", "cpu:4" (four threads), "cuda", "cuda:1", "hip:0", "emulated:sm_90", "best"; DeviceError lists the forms otherwise.
  [[nodiscard]] static Device from_string(std::string_view text);

  /// The first device of a kind, whether it is there or not: for the library itself, to plan calls.
  [[nodiscard]] static Device of_kind(DeviceKind kind) noexcept { return {kind, 0}; }

  /// CPU, CUDA or HIP.
  [[nodiscard]] DeviceKind kind() const noexcept { return kind_; }
  /// Whether it is one of emulated().
  [[nodiscard]] bool is_emulated() const noexcept { return capability_ != 0; }
  /// The number of a GPU, the number of threads asked for on a CPU (0: all).
  [[nodiscard]] int index() const noexcept { return index_; }
  /// Whether it is the CPU, with any number of threads.
  [[nodiscard]] bool is_cpu() const noexcept { return kind_ == DeviceKind::cpu; }
  /// Asks the driver; DeviceError where it cannot be asked.
  [[nodiscard]] DeviceInfo info() const;
  /// Waits until all the work queued on this device's default stream is done, and reports a fault that it had.
  void synchronize() const;
  /// Whether both name the same memory: all CPU devices share one.
  [[nodiscard]] bool same_memory(const Device& other) const noexcept {
    return kind_ == other.kind_ && (is_cpu() || (index_ == other.index_ && capability_ == other.capability_));
  }
  /// The same kind and the same index.
  friend bool operator==(const Device& a, const Device& b) noexcept = default;

 private:
  Device(DeviceKind kind, int index, int capability = 0) noexcept : kind_(kind), index_(index), capability_(capability) {}
  DeviceKind kind_ = DeviceKind::cpu;
  int index_ = 0;
  int capability_ = 0;  // of an emulated one: 90 for sm_90
  friend KILN_API std::string to_string(const Device& device);
};

/// Makes Device::best() give a device in this thread while it lives: `const DeviceScope on_gpu(Device::cuda(1));`. Scopes nest.
/// A scope ends in the thread that made it, before those around it.
class KILN_API DeviceScope {
 public:
  explicit DeviceScope(const Device& device) noexcept;
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope();

 private:
  Device device_;
  const Device* outer_;
};

/// "cpu", "cpu:4", "cuda:0", "emulated:sm_90".
[[nodiscard]] KILN_API std::string to_string(const Device& device);

}  // namespace kiln

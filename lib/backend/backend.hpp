// The devices behind one interface: memory, modules, queues and launches. Two implementations: cpu/ and gpu/ (for both
// vendors).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backend/compiler.hpp"
#include "backend/gufunc_launch.hpp"
#include "backend/raw_launch.hpp"
#include "backend/scan_launch.hpp"
#include "backend/scatter_launch.hpp"
#include "kiln/device.hpp"

namespace kiln::backend {

/// An in-order queue of work. Destroying it waits for its work, and never throws.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual void synchronize() = 0;
  /// The vendor's stream; null on a CPU.
  [[nodiscard]] virtual void* native() const noexcept { return nullptr; }
};

/// Machine code loaded on a device, with the one kernel that it holds. Unloaded when destroyed; never throws then.
class Module {
 public:
  virtual ~Module() = default;
  /// Of the user's texts that it was compiled from; set by who loads it, before others see it.
  std::shared_ptr<const std::vector<Diagnostic>> warnings = nullptr;
};

inline constexpr int kMaxOperands = 32;               ///< inputs and outputs of one kernel
inline constexpr int kMaxKernelRank = 8;              ///< merged dimensions that one launch handles; the caller loops over more
inline constexpr std::size_t kAccumulatorBytes = 16;  ///< of what a reduction starts from

/// One operand of an elementwise launch, in the order of the kernel's operands: inputs, then outputs.
struct LaunchOperand {
  void* data = nullptr;                   ///< device address; for a scalar, host address of its value (≤ 16 bytes)
  const std::int64_t* strides = nullptr;  ///< bytes, one for each dimension, outermost first; null for a scalar
  std::uint8_t itemsize = 0;
  bool scalar = false;
};

/// One elementwise launch. The kernel was rendered from a spec (codegen/spec.hpp) with the same operands, rank and width.
struct ElementwiseLaunch {
  std::span<const LaunchOperand> operands;
  std::span<const std::int64_t> shape;  ///< merged extents, outermost first; never empty, all > 0; one extent for rank 1
  std::int64_t size = 0;                ///< product of shape
  int width = 1;            ///< elements per access along the innermost dimension (GPU); divides its extent unless rank is 1
  int unroll = 1;           ///< accesses in flight per thread (GPU)
  bool wide_index = false;  ///< 64-bit index arithmetic (GPU)
};

/// codegen::Mapping: how the threads of a GPU share a reduction.
enum class ReductionMapping : std::uint8_t { thread, warp, block, columns };

/// Stretches along the one reduced dimension, each reduced for itself: from each beginning to the next, the last one to the
/// end; where the next is no larger, one element. Beginnings are in range.
struct ReductionSegments {
  std::span<const std::int64_t> begins;
  std::int64_t extent = 0;  ///< of the dimension
  std::int64_t step = 0;    ///< of the output from segment to segment, in bytes

  [[nodiscard]] std::int64_t count(std::size_t segment) const noexcept {
    const std::int64_t next = segment + 1 < begins.size() ? begins[segment + 1] : extent;
    return next > begins[segment] ? next - begins[segment] : 1;
  }
};

/// Where the index of a reduction lies: an operand like any other, whose elements are not in memory but are their addresses, so
/// that it goes through every change of the layout. Its first element is `data` - kIndexOrigin; strides are in elements.
inline constexpr std::uintptr_t kIndexOrigin = std::uintptr_t{1} << 62;

/// One reduction. The kernel was rendered from a ReductionSpec with the same operands.
struct ReductionLaunch {
  /// Inputs, the mask if there is one, the index if there is one, outputs. Strides are those of the kept dimensions, then those
  /// of the reduced ones. On the CPU an array of one element for all is a scalar, too, that has strides.
  std::span<const LaunchOperand> operands;
  int index = -1;                         ///< the operand that is the index
  std::span<const std::int64_t> kept;     ///< merged extents of the result, outermost first; may be empty
  std::span<const std::int64_t> reduced;  ///< merged extents that are reduced; may be empty
  std::int64_t outputs = 1;               ///< product of kept, > 0
  std::int64_t count = 1;                 ///< product of reduced; 0: there is nothing to reduce
  const void* initial = nullptr;          ///< an accumulator on the host, kAccumulatorBytes at most; null: none given
  /// CPU: instead of reduced extents and count. GPU: they are a kept dimension, the reduced one has its full extent, and one
  /// more operand follows the outputs, that says where they begin: its stride along that dimension is 1 and all others are 0,
  /// and its data the backend's to find. Not needed once the launch is queued.
  const ReductionSegments* segments = nullptr;
  bool columns_inside = false;  ///< the innermost kept dimension is nearer in memory than the innermost reduced one
  // Of its spec, for GPUs:
  ReductionMapping mapping = ReductionMapping::warp;
  int width = 1;  ///< divides the innermost reduced extent
  bool wide_index = false;
  std::int64_t state_bytes = 0;  ///< of what is kept of a part
};

/// One device. Thread-safe. All addresses are the device's.
class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  [[nodiscard]] virtual const std::shared_ptr<const Compiler>& compiler() const = 0;

  /// Loads machine code that compiler() made. `name` is for messages.
  [[nodiscard]] virtual std::shared_ptr<Module> load(std::string_view code, const std::string& name) = 0;

  /// At least 256-byte aligned on GPUs, 64 on CPUs. A null queue is the default stream. Zero bytes give a valid non-null
  /// address.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, Queue* queue) = 0;
  virtual void deallocate(void* address, std::size_t bytes, Queue* queue) noexcept = 0;

  /// The source may be reused once upload returns; download waits until the bytes are there; copy is queued.
  virtual void upload(void* device, const void* host, std::size_t bytes, Queue* queue) = 0;
  virtual void download(void* host, const void* device, std::size_t bytes, Queue* queue) = 0;
  virtual void copy(void* to, const void* from, std::size_t bytes, Queue* queue) = 0;

  /// Runs the kernel over the launch. On a GPU it returns once queued. On the CPU the default stream (null) runs in the
  /// caller, another queue copies what the launch refers to. `keep` is held until the work is done.
  virtual void launch(const Module& module, const ElementwiseLaunch& launch, Queue* queue,
                      std::shared_ptr<const void> keep) = 0;
  /// The same for kernels that were rendered from a ScanSpec and a ScatterSpec. Scratch memory is the backend's own.
  virtual void launch(const Module& module, const ScanLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) = 0;
  virtual void launch(const Module& module, const ScatterLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) = 0;

  /// The same for a raw kernel. DeviceError where the launch is beyond the device's limits.
  virtual void launch(const Module& module, const RawLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) = 0;

  /// The same for a reduction. Scratch memory is the backend's own.
  virtual void launch(const Module& module, const ReductionLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) = 0;

  /// The same for a kernel that was rendered from a GufuncSpec.
  virtual void launch(const Module& module, const GufuncLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) = 0;

  /// Whether the launch needs `keep` (work may outlive the call).
  [[nodiscard]] virtual bool asynchronous(const Queue* queue) const = 0;

  /// Holds memory that the backend did not hand out until what is queued on the default stream now is done, and a later call
  /// has seen that.
  virtual void outlive(std::shared_ptr<const void> keep) noexcept { keep.reset(); }

  [[nodiscard]] virtual std::shared_ptr<Queue> make_queue() = 0;
  /// A queue of the vendor's stream, which outlives it. DeviceError where it is none of this device.
  [[nodiscard]] virtual std::shared_ptr<Queue> wrap_queue(void* native) = 0;
  /// Waits for the default stream.
  virtual void synchronize() = 0;
};

/// The backend of a device: opened at first use, kept for ever. DeviceError where there is no such device.
Backend& backend_for(const Device& device);

/// A GPU's, null where it has not been opened.
Backend* opened_backend(const Device& device) noexcept;

/// What every backend implementation offers to the registry.
namespace cpu {
bool is_built_in() noexcept;  // false: KILN_CPU=OFF
Backend& open(int threads);
std::shared_ptr<const Compiler> compiler_for_target(
    std::string_view target);  // "native", "x86-64-v3", …; null if not a CPU's name
}  // namespace cpu
namespace gpu {
Backend& open(DeviceKind kind, int index);
Backend* opened(DeviceKind kind, int index) noexcept;
int device_count(DeviceKind kind) noexcept;                                    // 0 where there is no driver
std::string why_none(DeviceKind kind);                                         // every path tried, or the driver's own words
std::shared_ptr<const Compiler> compiler_for_target(std::string_view target);  // "sm_90", "gfx90a"; null if not a GPU's name
}  // namespace gpu

/// Whether this process was forked from one that used kiln: GPU calls are errors there, the CPU runs in one thread.
[[nodiscard]] bool forked() noexcept;
/// Starts watching: for who opens a device, a GPU's driver or its compiler. Cheap when repeated.
void watch_forks();

}  // namespace kiln::backend

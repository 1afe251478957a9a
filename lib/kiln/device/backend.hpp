// The devices behind one interface: memory, queues, events, modules, and one dispatch. It knows no kind of kernel. Two
// implementations: cpu/, which adds threads for kernels that are functions (cpu/threads.hpp), and gpu/ for both vendors.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fork_safe_mutex.hpp"
#include "compiler/compiler.hpp"
#include "device/fft.hpp"
#include "device/kernel_abi.hpp"
#include "kiln/device.hpp"
#include "kiln/memory.hpp"

namespace kiln::backend {

/// An in-order queue of work. Destroying it waits for its work, and never throws.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual void synchronize() = 0;
  /// CPU: appends a function to the work. On a GPU a defect of the caller (std::logic_error).
  virtual void run(std::function<void()> work);
  /// The vendor's stream; null on a CPU.
  [[nodiscard]] virtual void* native() const noexcept { return nullptr; }
  /// Among the queues of the process, from 1 on.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

 private:
  static inline std::atomic<std::uint64_t> made{0};
  const std::uint64_t number_ = made.fetch_add(1, std::memory_order_relaxed) + 1;
};

/// A point in a queue's work. Thread-safe. Destroying it waits for nothing.
class Event {
 public:
  virtual ~Event() = default;
  /// Marks the work that is queued now; a null queue is the default stream. What was marked before is forgotten.
  virtual void record(Queue* queue) = 0;
  /// Work queued from now on waits for the event. Nothing to wait for where it was never recorded.
  virtual void wait(Queue* queue) = 0;
  /// Whether the marked work is done. True where it was never recorded.
  [[nodiscard]] virtual bool done() const = 0;
  /// Waits in the caller. A failure of the work is its queue's to tell: Queue::synchronize() on the CPU; on a GPU here, too.
  virtual void synchronize() const = 0;
  /// Milliseconds from `start`, an event of the same device. DeviceError unless both are recorded and done.
  [[nodiscard]] virtual double milliseconds_since(const Event& start) const = 0;
};

/// What the cache calls a kernel.
struct KernelLabel {
  std::string id;  ///< 32 hex digits, of the key
  std::string kind;
  std::string variant;
};

/// What messages about the faults of a kernel show of its definition.
struct FaultTexts {
  std::string kernel;                        ///< its name
  std::vector<std::string> arguments;        ///< inputs, then outputs; unnamed ones are empty
  std::map<std::string, std::string> texts;  ///< the user's, as they were compiled, by their names in #line
};

/// Machine code loaded on a device, with the one kernel that it holds. Unloaded when destroyed; never throws then.
class Module : public std::enable_shared_from_this<Module> {
 public:
  virtual ~Module() = default;
  /// GPU: blocks of `threads` threads that one multiprocessor holds at once, at least 1.
  [[nodiscard]] virtual int occupancy(int /*threads*/) const noexcept { return 1; }
  /// GPU: threads that a block of its kernel may have.
  [[nodiscard]] virtual int max_threads() const noexcept { return kGpuBlock; }
  /// Of the user's texts that it was compiled from; set by who loads it, before others see it.
  std::shared_ptr<const std::vector<Diagnostic>> warnings = nullptr;
  /// Set likewise; null where it came from no cache.
  std::shared_ptr<const KernelLabel> label = nullptr;

  /// In debug mode: where the kernel's FaultBuffer is on the device. Null where it has nothing to check.
  [[nodiscard]] void* faults() const noexcept { return faults_; }
  /// Set by who loads it, where it has checks.
  std::shared_ptr<const FaultTexts> fault_texts = nullptr;
  /// Held from a launch until its faults are read.
  mutable base::ForkSafeMutex faults_mutex;
  /// The end of a kernel that went on after its call was stopped; null: there is none. Under faults_mutex.
  mutable std::shared_ptr<Event> stopped_work = nullptr;

 protected:
  void* faults_ = nullptr;
};

class RecordedLaunch;
class Replay;

/// How many blocks of how many threads a GPU runs a kernel with, along x, y and z; each extent > 0.
struct LaunchShape {
  std::array<std::int64_t, 3> grid{1, 1, 1};   ///< blocks
  std::array<std::int64_t, 3> block{1, 1, 1};  ///< threads of each
  std::int64_t shared_bytes = 0;               ///< dynamic shared memory of each block
};

/// One device. Thread-safe. All addresses are the device's.
class Backend {
 public:
  explicit Backend(DeviceKind kind) noexcept : kind_(kind) {}
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] DeviceKind kind() const noexcept { return kind_; }
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  /// For messages: "cpu", "cuda:0".
  [[nodiscard]] virtual std::string name() const { return "cpu"; }
  /// GPU: its driver, "CUDA 13.0".
  [[nodiscard]] virtual std::string driver() const { return {}; }
  [[nodiscard]] virtual const std::shared_ptr<const Compiler>& compiler() const = 0;

  /// Loads machine code that compiler() made. `name` is for messages. `debug_folder` has the texts of a kernel in debug mode,
  /// and on the CPU gets the loaded code as a file, for debuggers and profilers; empty: there is none.
  [[nodiscard]] virtual std::shared_ptr<Module> load(std::string_view code, const std::string& name,
                                                     const std::string& debug_folder = {}) = 0;

  /// At least 256-byte aligned on GPUs, 64 on CPUs. A null queue is the default stream. Zero bytes give a valid non-null
  /// address.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, Queue* queue) = 0;
  virtual void deallocate(void* address, std::size_t bytes, Queue* queue) noexcept = 0;
  /// The same for memory that only this queue has seen: it waits for no other (scratch.hpp).
  virtual void deallocate_scratch(void* address, std::size_t bytes, Queue* queue) noexcept {
    deallocate(address, bytes, queue);
  }

  /// Of a GPU: kiln/memory.hpp says what each is. The CPU's memory is the process's, which has no backend (memory.cpp).
  [[nodiscard]] virtual MemoryStats memory_stats() const { return {}; }
  virtual void reset_memory_peak() {}
  virtual void trim() {}
  virtual void set_memory_limit(std::optional<std::int64_t> /*bytes*/) {}
  virtual void set_allocator(const Device& /*device*/, const MemoryAllocator& /*allocator*/) {}

  /// The source may be reused once upload returns; download waits until the bytes are there; copy is queued.
  virtual void upload(void* device, const void* host, std::size_t bytes, Queue* queue) = 0;
  virtual void download(void* host, const void* device, std::size_t bytes, Queue* queue) = 0;
  virtual void copy(void* to, const void* from, std::size_t bytes, Queue* queue) = 0;

  /// The same as upload(), but queued: the bytes are held until the device has them.
  virtual void upload(void* device, std::shared_ptr<const std::vector<std::byte>> bytes, Queue* queue) = 0;

  /// Host memory that the device copies to and from without a copy of the driver's (page-locked); for every device of the
  /// vendor. At least 64-byte aligned, never null, reused through a pool: what it holds is not certain. Ordinary memory where
  /// the driver has none, and on a CPU. DeviceError where there is not so much.
  [[nodiscard]] virtual void* allocate_pinned(std::size_t bytes) { return allocate(bytes, nullptr); }
  /// `bytes` as it was allocated with. No work may use it any more.
  virtual void deallocate_pinned(void* address, std::size_t bytes) noexcept { deallocate(address, bytes, nullptr); }
  /// Page-locks memory of the host's. True: unregister_host() undoes it. False where it is page-locked already, by whoever, and
  /// where there is nothing to do: the driver has no such call, a CPU. `read_only`: the process may not be able to write it.
  /// DeviceError where the driver refuses.
  [[nodiscard]] virtual bool register_host(void* /*address*/, std::size_t /*bytes*/, bool /*read_only*/) { return false; }
  /// Waits for the device's work, which may use the memory.
  virtual void unregister_host(void* /*address*/) noexcept {}

  /// Whether memory of the host is of allocate_pinned() or register_host().
  [[nodiscard]] virtual bool is_page_locked(const void* /*address*/, std::size_t /*bytes*/) const noexcept { return false; }

  /// Copies that are queued, and done in the order of the queue. `keep` is held until they are done: it holds both memories.
  /// Until then the caller must not change the source nor read the target. Where the host's memory is not page-locked the
  /// driver may wait. Without a queue on a CPU they are done at once.
  virtual void upload_queued(void* device, const void* host, std::size_t bytes, Queue* queue,
                             const std::shared_ptr<const void>& /*keep*/) {
    upload(device, host, bytes, queue);
  }
  virtual void download_queued(void* host, const void* device, std::size_t bytes, Queue* queue,
                               const std::shared_ptr<const void>& /*keep*/) {
    download(host, device, bytes, queue);
  }
  /// The same from a device of `source`, straight to this one, behind all that the default stream of `source` has now. False,
  /// with nothing done, where there is no such way: devices of two drivers, or a driver without the call.
  [[nodiscard]] virtual bool copy_from_peer(void* /*to*/, Backend& /*source*/, const void* /*from*/, std::size_t /*bytes*/,
                                            Queue* /*queue*/, const std::shared_ptr<const void>& /*keep*/) {
    return false;
  }

  /// GPU: queues the module's kernel. `parameters` are the addresses of its parameters, which are read before this returns;
  /// `keep` is held until the work is done. DeviceError where the driver refuses. On a CPU a defect of the caller.
  virtual void dispatch(const Module& module, const LaunchShape& shape, void** parameters, Queue* queue,
                        const std::shared_ptr<const void>& keep) = 0;
  /// GPU: DeviceError, which says what and how much, for a shape beyond the limits of device and kernel. Allows the kernel as
  /// much shared memory as the shape asks for.
  virtual void require_fits(const Module& /*module*/, const LaunchShape& /*shape*/) const {}
  /// GPU: threads that one dispatch may have along an axis; 0: no such limit.
  [[nodiscard]] virtual std::int64_t max_dispatch_threads() const noexcept { return 0; }

  /// Whether the launch needs `keep` (work may outlive the call).
  [[nodiscard]] virtual bool asynchronous(const Queue* queue) const = 0;

  /// GPU: the next work of every queue waits for what the default stream has now, as it does for copies there.
  virtual void order_queues_after_default() noexcept {}

  /// Holds memory that the backend did not hand out until what is queued on the default stream now is done, and a later call
  /// has seen that.
  virtual void outlive(std::shared_ptr<const void> keep) noexcept { keep.reset(); }

  [[nodiscard]] std::shared_ptr<Queue> make_queue() { return make_queue(0); }
  /// `priority` as the drivers have it: lower numbers go first, 0 is the usual one; brought into the device's range. A CPU has
  /// none.
  [[nodiscard]] virtual std::shared_ptr<Queue> make_queue(int priority) = 0;
  /// A queue of the vendor's stream, which outlives it. DeviceError where it is none of this device.
  [[nodiscard]] virtual std::shared_ptr<Queue> wrap_queue(void* native) = 0;
  /// Waits for the default stream.
  virtual void synchronize() = 0;

  [[nodiscard]] virtual std::shared_ptr<Event> make_event() = 0;

  /// GPU: a plan of the vendor's library. DeviceError with every path tried where there is none, and where it refuses. On a CPU
  /// a defect of the caller (std::logic_error).
  [[nodiscard]] virtual std::shared_ptr<FftPlan> make_fft(const FftLayout& layout);

  /// What starts recorded launches (capture.hpp) as one. Null where the device has nothing for it: each is to be run.
  [[nodiscard]] virtual std::shared_ptr<Replay> make_replay(
      const std::vector<std::shared_ptr<const RecordedLaunch>>& /*launches*/) {
    return nullptr;
  }

 private:
  DeviceKind kind_;
};

}  // namespace kiln::backend

// One interface for all devices: memory, queues, events, modules, and one dispatch. It knows no kind of kernel. Two
// implementations: cpu/, which adds threads for kernels that are functions (cpu/threads.hpp), and gpu/ for both vendors.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
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

/// An in-order queue of work. Destroying it waits for its work, and does not throw.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual void synchronize() = 0;
  /// CPU: appends a function to the work. Throws std::logic_error on a GPU: a defect of the caller.
  virtual void run(std::function<void()> work);
  /// Returns the vendor's stream; null on a CPU.
  [[nodiscard]] virtual void* native() const noexcept { return nullptr; }
  /// Returns the queue's number in the process, from 1 on.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

 private:
  static inline std::atomic<std::uint64_t> made{0};
  const std::uint64_t number_ = made.fetch_add(1, std::memory_order_relaxed) + 1;
};

/// A point in a queue's work. Thread-safe. Destroying it waits for nothing.
class Event {
 public:
  virtual ~Event() = default;
  /// Marks the work that is queued now and forgets an earlier mark. A null queue is the default stream.
  virtual void record(Queue* queue) = 0;
  /// Makes work that is queued from now on wait for the event; nothing if it was never recorded.
  virtual void wait(Queue* queue) = 0;
  /// Returns true if the marked work is done, or if nothing was recorded.
  [[nodiscard]] virtual bool done() const = 0;
  /// Waits in the caller. Queue::synchronize() throws a failure of the work; on a GPU this function throws it, too.
  virtual void synchronize() const = 0;
  /// Waits in the caller until then at the latest, and returns done(). On a GPU it throws a failure of the work.
  [[nodiscard]] virtual bool wait_until(std::chrono::steady_clock::time_point end) const = 0;
  /// Returns the milliseconds from `start`, an event of the same device. Throws DeviceError unless both are recorded and done.
  [[nodiscard]] virtual double milliseconds_since(const Event& start) const = 0;
};

/// Names of a kernel in the cache.
struct KernelLabel {
  std::string id;  ///< hash of the key: 32 hex digits
  std::string kind;
  std::string variant;
};

/// Texts of a kernel's definition for messages about its faults.
struct FaultTexts {
  std::string kernel;                        ///< name of the kernel
  std::vector<std::string> arguments;        ///< inputs, then outputs; unnamed ones are empty
  std::map<std::string, std::string> texts;  ///< user's texts, as compiled, by their names in #line
};

/// Memory of a module's own; a null address: there is none.
struct ModuleVariable {
  void* address = nullptr;
  std::size_t bytes = 0;
};

/// Machine code loaded on a device, with its one kernel. The destructor unloads it and does not throw.
class Module : public std::enable_shared_from_this<Module> {
 public:
  virtual ~Module() = default;
  /// Returns the number of blocks of `threads` threads that one multiprocessor of a GPU holds at once, at least 1.
  [[nodiscard]] virtual int occupancy(int /*threads*/) const noexcept { return 1; }
  /// Returns the maximum of threads in a block of its kernel on a GPU.
  [[nodiscard]] virtual int max_threads() const noexcept { return kGpuBlock; }
  /// Returns a variable by its symbol. On the CPU its bytes are 0: they are a variable themselves.
  [[nodiscard]] virtual ModuleVariable variable(const std::string& /*symbol*/) const { return {}; }
  /// Number of the values that its __constant__ variables have (lib/kiln/raw/module_constants.hpp); guarded by faults_mutex.
  mutable std::uint64_t constants = 0;
  /// Returns the bytes of the host's memory that its loaded code takes.
  [[nodiscard]] virtual std::size_t memory_bytes() const noexcept { return 0; }
  /// Warnings about the user's texts; set by the loader before others see the module.
  std::shared_ptr<const std::vector<Diagnostic>> warnings = nullptr;
  /// Label, set likewise; null for a kernel from no cache.
  std::shared_ptr<const KernelLabel> label = nullptr;

  /// Returns the address of the kernel's FaultBuffer on the device, in debug mode; null if it checks nothing.
  [[nodiscard]] void* faults() const noexcept { return faults_; }
  /// Texts for faults, set by the loader if the kernel has checks.
  std::shared_ptr<const FaultTexts> fault_texts = nullptr;
  /// Mutex that is held from a launch until its faults are read.
  mutable base::ForkSafeMutex faults_mutex;
  /// End of a kernel that went on after its call was stopped; null: there is none. Guarded by faults_mutex.
  mutable std::shared_ptr<Event> stopped_work = nullptr;

 protected:
  void* faults_ = nullptr;
};

class RecordedLaunch;
class Replay;

/// Grid and blocks of a launch on a GPU, along x, y and z; each extent > 0.
struct LaunchShape {
  std::array<std::int64_t, 3> grid{1, 1, 1};   ///< blocks of the grid
  std::array<std::int64_t, 3> block{1, 1, 1};  ///< threads of each block
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
  /// Returns the name for messages: "cpu", "cuda:0".
  [[nodiscard]] virtual std::string name() const { return "cpu"; }
  /// Returns the driver of a GPU: "CUDA 13.0".
  [[nodiscard]] virtual std::string driver() const { return {}; }
  [[nodiscard]] virtual const std::shared_ptr<const Compiler>& compiler() const = 0;

  /// Loads machine code that compiler() made. `name` is for messages. `debug_folder` has the texts of a kernel in debug mode;
  /// empty: there is none. On the CPU the folder receives the loaded code as a file, for debuggers and profilers.
  [[nodiscard]] virtual std::shared_ptr<Module> load(std::string_view code, const std::string& name,
                                                     const std::string& debug_folder = {}) = 0;

  /// Allocates memory, aligned to at least 256 bytes on GPUs and 64 on CPUs. A null queue is the default stream. Zero bytes
  /// give a valid non-null address.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, Queue* queue) = 0;
  virtual void deallocate(void* address, std::size_t bytes, Queue* queue) noexcept = 0;
  /// Frees memory that no other queue has seen, without waiting for other queues (scratch.hpp).
  virtual void deallocate_scratch(void* address, std::size_t bytes, Queue* queue) noexcept {
    deallocate(address, bytes, queue);
  }

  /// Functions of kiln/memory.hpp for a GPU. The CPU's memory is the process's, which has no backend (memory.cpp).
  [[nodiscard]] virtual MemoryStats memory_stats() const { return {}; }
  virtual void reset_memory_peak() {}
  virtual void trim() {}
  virtual void set_memory_limit(std::optional<std::int64_t> /*bytes*/) {}
  virtual void set_allocator(const Device& /*device*/, const MemoryAllocator& /*allocator*/) {}

  /// Copies bytes. The source may be reused once upload() returns; download() waits for the bytes; copy() is queued.
  virtual void upload(void* device, const void* host, std::size_t bytes, Queue* queue) = 0;
  virtual void download(void* host, const void* device, std::size_t bytes, Queue* queue) = 0;
  virtual void copy(void* to, const void* from, std::size_t bytes, Queue* queue) = 0;

  /// Queues an upload. The bytes are kept alive until the device has them.
  virtual void upload(void* device, std::shared_ptr<const std::vector<std::byte>> bytes, Queue* queue) = 0;

  /// Returns page-locked host memory, which every device of the vendor accesses without an intermediate copy of the driver. The
  /// memory is uninitialized, aligned to at least 64 bytes, never null, and comes from a pool. It is ordinary on a CPU, and if
  /// the driver has no page-locked memory. Throws DeviceError if memory is insufficient.
  [[nodiscard]] virtual void* allocate_pinned(std::size_t bytes) { return allocate(bytes, nullptr); }
  /// Frees memory of allocate_pinned(), with the same `bytes`. No work may use it any more.
  virtual void deallocate_pinned(void* address, std::size_t bytes) noexcept { deallocate(address, bytes, nullptr); }
  /// Page-locks host memory. Returns true if unregister_host() must undo it. Returns false on a CPU, without such a call in the
  /// driver, and for memory that is page-locked already, by whomever.
  ///
  /// `read_only` means that the process may be unable to write the memory. Throws DeviceError if the driver refuses.
  [[nodiscard]] virtual bool register_host(void* /*address*/, std::size_t /*bytes*/, bool /*read_only*/) { return false; }
  /// Waits for the device's work, which may use the memory, and undoes register_host().
  virtual void unregister_host(void* /*address*/) noexcept {}

  /// Returns true for host memory of allocate_pinned() or register_host().
  [[nodiscard]] virtual bool is_page_locked(const void* /*address*/, std::size_t /*bytes*/) const noexcept { return false; }

  /// Queues copies, which are done in the order of the queue. `keep` holds both memories and is kept alive until the copies are
  /// done. Until then the caller must not change the source or read the target.
  ///
  /// The driver may wait if the host's memory is not page-locked. Without a queue on a CPU the copies are done at once.
  virtual void upload_queued(void* device, const void* host, std::size_t bytes, Queue* queue,
                             const std::shared_ptr<const void>& /*keep*/) {
    upload(device, host, bytes, queue);
  }
  virtual void download_queued(void* host, const void* device, std::size_t bytes, Queue* queue,
                               const std::shared_ptr<const void>& /*keep*/) {
    download(host, device, bytes, queue);
  }
  /// Queues a copy from a device of `source` straight to this one, after all present work of the default stream of `source`.
  /// Returns false, with nothing done, if that is impossible: devices of two drivers, or a driver without the call.
  [[nodiscard]] virtual bool copy_from_peer(void* /*to*/, Backend& /*source*/, const void* /*from*/, std::size_t /*bytes*/,
                                            Queue* /*queue*/, const std::shared_ptr<const void>& /*keep*/) {
    return false;
  }

  /// GPU: queues the module's kernel. `parameters` are the addresses of its parameters, which are read before this returns.
  /// `keep` is kept alive until the work is done. Throws DeviceError if the driver refuses. A call on a CPU is a defect of the
  /// caller.
  virtual void dispatch(const Module& module, const LaunchShape& shape, void** parameters, Queue* queue,
                        const std::shared_ptr<const void>& keep) = 0;
  /// GPU: throws DeviceError, with the limit and the excess, for a shape beyond the limits of device and kernel. Allows the
  /// kernel as much shared memory as the shape needs.
  virtual void require_fits(const Module& /*module*/, const LaunchShape& /*shape*/) const {}
  /// Returns the number of threads that one dispatch of a GPU may have along an axis; 0: no limit.
  [[nodiscard]] virtual std::int64_t max_dispatch_threads() const noexcept { return 0; }

  /// Returns true if the launch needs `keep`, because work may outlive the call.
  [[nodiscard]] virtual bool asynchronous(const Queue* queue) const = 0;

  /// GPU: makes the next work of every queue wait for the present work of the default stream, as it does for copies there.
  virtual void order_queues_after_default() noexcept {}

  /// Keeps memory that the backend did not allocate alive until the default stream's present work is done. A later call notices
  /// that.
  virtual void outlive(std::shared_ptr<const void> keep) noexcept { keep.reset(); }

  [[nodiscard]] std::shared_ptr<Queue> make_queue() { return make_queue(0); }
  /// Returns a new queue. `priority` is that of the drivers: lower numbers go first, 0 is the usual one; it is clamped to the
  /// device's range. A CPU has no priorities.
  [[nodiscard]] virtual std::shared_ptr<Queue> make_queue(int priority) = 0;
  /// Returns a queue on the vendor's stream, which must outlive it. Throws DeviceError for a stream of another device.
  [[nodiscard]] virtual std::shared_ptr<Queue> wrap_queue(void* native) = 0;
  /// Waits for the default stream.
  virtual void synchronize() = 0;

  [[nodiscard]] virtual std::shared_ptr<Event> make_event() = 0;

  /// Returns a plan of the vendor's FFT library. Throws DeviceError if the library is missing, with every path tried, or
  /// refuses. Throws std::logic_error on a CPU: a defect of the caller.
  [[nodiscard]] virtual std::shared_ptr<FftPlan> make_fft(const FftLayout& layout);

  /// Returns an object that starts recorded launches (capture.hpp) as one. Returns null if the device has none: the caller runs
  /// each launch.
  [[nodiscard]] virtual std::shared_ptr<Replay> make_replay(
      const std::vector<std::shared_ptr<const RecordedLaunch>>& /*launches*/) {
    return nullptr;
  }

 private:
  DeviceKind kind_;
};

}  // namespace kiln::backend

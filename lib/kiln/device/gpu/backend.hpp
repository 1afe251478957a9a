// One GPU of either vendor as a backend::Backend.
//
// The default stream is the driver's legacy default stream (handle 0): one for the whole process, the same that CUDA's and
// HIP's runtime APIs and the libraries above them use, so that kiln's work is ordered with theirs. Queues are non-blocking
// streams and do not wait for it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "device/gpu/core.hpp"
#include "device/gpu/memory.hpp"
#include "device/gpu/pending.hpp"
#include "device/gpu/pinned_memory.hpp"
#include "device/kernel_abi.hpp"
#include "device/stop_request.hpp"

namespace kiln::backend::gpu {

class GpuModule;
class GpuQueue;

class GpuBackend final : public Backend {
 public:
  /// `driver` outlives the backend, and the backend its queues, modules and memory. `compiler` may be null; then
  /// `no_compiler` is what compiler() throws as a DeviceError, and all else works. DeviceError where the device cannot be
  /// opened.
  GpuBackend(const Driver& driver, int index, std::shared_ptr<const Compiler> compiler, std::string no_compiler);
  ~GpuBackend() override;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::string name() const override { return core_.name(); }
  [[nodiscard]] std::string driver() const override { return core_.driver().version_text(); }
  [[nodiscard]] const std::shared_ptr<const Compiler>& compiler() const override;
  [[nodiscard]] std::shared_ptr<Module> load(std::string_view code, const std::string& name,
                                             const std::string& debug_folder = {}) override;
  [[nodiscard]] void* allocate(std::size_t bytes, Queue* queue) override;
  void deallocate(void* address, std::size_t bytes, Queue* queue) noexcept override;
  void deallocate_scratch(void* address, std::size_t bytes, Queue* queue) noexcept override;
  [[nodiscard]] MemoryStats memory_stats() const override;
  void reset_memory_peak() override { memory_.reset_peak(); }
  void trim() override;
  void set_memory_limit(std::optional<std::int64_t> bytes) override;
  void set_allocator(const Device& device, const MemoryAllocator& allocator) override;
  void outlive(std::shared_ptr<const void> keep) noexcept override;
  void upload(void* device, const void* host, std::size_t bytes, Queue* queue) override;
  void download(void* host, const void* device, std::size_t bytes, Queue* queue) override;
  void copy(void* to, const void* from, std::size_t bytes, Queue* queue) override;
  void upload(void* device, std::shared_ptr<const std::vector<std::byte>> bytes, Queue* queue) override;
  [[nodiscard]] void* allocate_pinned(std::size_t bytes) override { return pinned_.allocate(bytes); }
  void deallocate_pinned(void* address, std::size_t bytes) noexcept override { pinned_.deallocate(address, bytes); }
  [[nodiscard]] bool register_host(void* address, std::size_t bytes, bool read_only) override;
  void unregister_host(void* address) noexcept override;
  [[nodiscard]] bool is_page_locked(const void* address, std::size_t bytes) const noexcept override {
    return pinned_.contains(address, bytes);
  }
  void upload_queued(void* device, const void* host, std::size_t bytes, Queue* queue,
                     const std::shared_ptr<const void>& keep) override;
  void download_queued(void* host, const void* device, std::size_t bytes, Queue* queue,
                       const std::shared_ptr<const void>& keep) override;
  [[nodiscard]] bool copy_from_peer(void* to, Backend& source, const void* from, std::size_t bytes, Queue* queue,
                                    const std::shared_ptr<const void>& keep) override;
  void dispatch(const Module& module, const LaunchShape& shape, void** parameters, Queue* queue,
                const std::shared_ptr<const void>& keep) override;
  void require_fits(const Module& module, const LaunchShape& shape) const override;
  [[nodiscard]] std::int64_t max_dispatch_threads() const noexcept override { return core_.dialect().max_dispatch_threads; }
  /// Of the default stream false: memory is taken back in its order.
  void order_queues_after_default() noexcept override { core_.default_memory.fetch_add(1, std::memory_order_release); }
  [[nodiscard]] bool asynchronous(const Queue* queue) const override { return queue != nullptr; }
  using Backend::make_queue;
  [[nodiscard]] std::shared_ptr<Queue> make_queue(int priority) override;
  [[nodiscard]] std::shared_ptr<Queue> wrap_queue(void* native) override;
  void synchronize() override;
  [[nodiscard]] std::shared_ptr<Event> make_event() override;
  [[nodiscard]] std::shared_ptr<FftPlan> make_fft(const FftLayout& layout) override;
  [[nodiscard]] std::shared_ptr<Replay> make_replay(
      const std::vector<std::shared_ptr<const RecordedLaunch>>& launches) override;

 private:
  std::shared_ptr<Queue> add(std::shared_ptr<GpuQueue> queue);
  /// What every queued copy begins and ends with.
  static void start_copy(Queue* queue);
  void end_copy(Queue* queue, const std::shared_ptr<const void>& keep);
  /// Waits for the device, and gives what is not in use back to the driver.
  void reclaim_memory();

  Core core_;
  std::shared_ptr<const Compiler> compiler_;
  std::string no_compiler_;
  DeviceInfo info_;
  Pending default_pending_{core_, nullptr};
  PinnedMemory pinned_{core_};
  DeviceMemory memory_{core_};
  std::mutex queues_mutex_;
  std::vector<std::weak_ptr<GpuQueue>> queues_;  // those that live, and a few that did
};

/// The device's architecture as its compiler is asked for it: "sm_90", "gfx90a:sramecc+:xnack-". DeviceError where the driver
/// does not say.
[[nodiscard]] std::string architecture_of(const Driver& driver, int index);

}  // namespace kiln::backend::gpu

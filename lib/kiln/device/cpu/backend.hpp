// The CPU as a kiln device: host memory, kernels called in the caller's thread or on oneTBB's.
#pragma once

#include <memory>
#include <string>

#include "device/backend.hpp"
#include "device/cpu/threads.hpp"

namespace kiln::backend::cpu {

class CpuBackend : public Backend {
 public:
  /// 0: every hardware thread that the process may use.
  explicit CpuBackend(int threads);

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] const std::shared_ptr<const Compiler>& compiler() const override;
  [[nodiscard]] std::shared_ptr<Module> load(std::string_view code, const std::string& name,
                                             const std::string& debug_folder = {}) override;
  [[nodiscard]] void* allocate(std::size_t bytes, Queue* queue) override;
  void deallocate(void* address, std::size_t bytes, Queue* queue) noexcept override;
  void upload(void* device, const void* host, std::size_t bytes, Queue* queue) override;
  void download(void* host, const void* device, std::size_t bytes, Queue* queue) override;
  void copy(void* to, const void* from, std::size_t bytes, Queue* queue) override;
  void upload(void* device, std::shared_ptr<const std::vector<std::byte>> bytes, Queue* queue) override;
  void upload_queued(void* device, const void* host, std::size_t bytes, Queue* queue,
                     const std::shared_ptr<const void>& keep) override;
  void download_queued(void* host, const void* device, std::size_t bytes, Queue* queue,
                       const std::shared_ptr<const void>& keep) override;
  /// std::logic_error: kernels here are functions, which threads() call.
  void dispatch(const Module& module, const LaunchShape& shape, void** parameters, Queue* queue,
                const std::shared_ptr<const void>& keep) override;
  /// What runs kernels here, together with CpuQueue::post() and CpuModule.
  [[nodiscard]] Threads& threads() noexcept { return threads_; }
  [[nodiscard]] bool asynchronous(const Queue* queue) const override { return queue != nullptr; }
  using Backend::make_queue;
  [[nodiscard]] std::shared_ptr<Queue> make_queue(int priority) override;
  [[nodiscard]] std::shared_ptr<Queue> wrap_queue(void* native) override;
  void synchronize() override {}  // the default stream is the caller
  [[nodiscard]] std::shared_ptr<Event> make_event() override;
  [[nodiscard]] std::shared_ptr<Replay> make_replay(
      const std::vector<std::shared_ptr<const RecordedLaunch>>& launches) override;

 private:
  DeviceInfo info_;
  Threads threads_;
};

/// The CPU as it is with that many threads (0: every hardware thread that the process may use). Made at the first call, kept
/// for ever. DeviceError for a number that is no count of threads. Thread-safe.
Backend& open(int threads);

}  // namespace kiln::backend::cpu

// The CPU as a kiln device: host memory, kernels called in the caller's thread or on oneTBB's.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.hpp"
#include "backend/cpu/threads.hpp"

namespace kiln::backend::cpu {

class CpuBackend : public Backend {
 public:
  /// 0: every hardware thread that the process may use.
  explicit CpuBackend(int threads);

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] const std::shared_ptr<const Compiler>& compiler() const override;
  [[nodiscard]] std::shared_ptr<Module> load(std::string_view code, const std::string& name) override;
  [[nodiscard]] void* allocate(std::size_t bytes, Queue* queue) override;
  void deallocate(void* address, std::size_t bytes, Queue* queue) noexcept override;
  void upload(void* device, const void* host, std::size_t bytes, Queue* queue) override;
  void download(void* host, const void* device, std::size_t bytes, Queue* queue) override;
  void copy(void* to, const void* from, std::size_t bytes, Queue* queue) override;
  void launch(const Module& module, const ElementwiseLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) override;
  void launch(const Module& module, const ReductionLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) override;
  void launch(const Module& module, const ScanLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) override;
  void launch(const Module& module, const ScatterLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) override;
  void launch(const Module& module, const GufuncLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) override;
  void launch(const Module& module, const RawLaunch& launch, Queue* queue, std::shared_ptr<const void> keep) override;
  [[nodiscard]] bool asynchronous(const Queue* queue) const override { return queue != nullptr; }
  [[nodiscard]] std::shared_ptr<Queue> make_queue() override;
  [[nodiscard]] std::shared_ptr<Queue> wrap_queue(void* native) override;
  void synchronize() override {}  // the default stream is the caller

 private:
  DeviceInfo info_;
  Threads threads_;
};

}  // namespace kiln::backend::cpu

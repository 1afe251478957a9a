// Machine code loaded on a GPU.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "device/backend.hpp"
#include "device/gpu/core.hpp"

namespace kiln::backend::gpu {

class GpuModule final : public Module {
 public:
  /// DeviceError "failed to load module "name" on cuda:0: …", with the driver's log of what it could not finish.
  GpuModule(const Core& core, std::string_view code, const std::string& name);
  ~GpuModule() override;
  GpuModule(const GpuModule&) = delete;
  GpuModule& operator=(const GpuModule&) = delete;

  [[nodiscard]] const Core& core() const noexcept { return core_; }
  [[nodiscard]] abi::Handle function() const noexcept { return function_; }
  /// Of kGpuBlock threads it is asked once: the driver takes 4 to 7 microseconds.
  [[nodiscard]] int occupancy(int threads) const noexcept override {
    return threads == kGpuBlock ? blocks_ : ask_occupancy(threads);
  }
  [[nodiscard]] int max_threads() const noexcept override { return attribute(abi::kFunctionThreads, kGpuBlock); }
  [[nodiscard]] ModuleVariable variable(const std::string& symbol) const override;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// A number that the driver has for the kernel; `otherwise` where it has none.
  [[nodiscard]] int attribute(int number, int otherwise) const noexcept;
  /// Bytes of shared memory that its code asks for; 0 where the driver does not say.
  [[nodiscard]] int own_shared() const noexcept;
  /// Lets launches ask for so much shared memory, which is more than they may without; once.
  void allow_shared(int bytes) const;

 private:
  [[nodiscard]] void* find_faults() const;
  [[nodiscard]] int ask_occupancy(int threads) const noexcept;

  const Core& core_;
  std::string name_;
  abi::Handle module_ = nullptr;
  abi::Handle function_ = nullptr;
  int blocks_ = 1;
  mutable std::mutex mutex_;
  mutable int shared_allowed_ = 0;
  mutable std::atomic<int> own_shared_{-1};
};

}  // namespace kiln::backend::gpu

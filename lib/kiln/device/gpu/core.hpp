// What the parts of one opened GPU share: the driver's calls, the context, whether the device is still usable.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "library/driver.hpp"

namespace kiln::backend::gpu {

/// Outlives every queue and module of the device. Thread-safe.
class Core {
 public:
  /// Retains the primary context, for the life of the process. DeviceError where the driver refuses.
  Core(const Driver& driver, int index);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  [[nodiscard]] const DriverTable& calls() const noexcept { return driver_.calls(); }
  [[nodiscard]] const Driver& driver() const noexcept { return driver_; }
  [[nodiscard]] const Dialect& dialect() const noexcept { return driver_.dialect(); }
  [[nodiscard]] int index() const noexcept { return index_; }
  [[nodiscard]] int device() const noexcept { return device_; }
  [[nodiscard]] abi::Handle context() const noexcept { return context_; }
  [[nodiscard]] std::string name() const { return driver_.device_name(index_); }
  [[nodiscard]] int attribute(int number) const;

  /// DeviceError in a forked child, and on a device that a fault has made unusable.
  void require_usable() const;
  /// The same as a question, for destructors.
  [[nodiscard]] bool usable() const noexcept;

  /// DeviceError "failed to <what> on cuda:0: …" unless the status is success; a fault of a kernel is remembered.
  void check(abi::Status status, const char* what) const {
    if (status != abi::kSuccess) [[unlikely]]
      fail(status, what);
  }
  [[noreturn]] void fail(abi::Status status, const std::string& what) const;

  /// Counts allocations and copies on the default stream, once each is queued: what queues have to wait for (queue.hpp).
  std::atomic<std::uint64_t> default_memory{1};

 private:
  const Driver& driver_;
  int index_;
  int device_ = 0;
  abi::Handle context_ = nullptr;
  mutable std::atomic<abi::Status> fault_{abi::kSuccess};
};

/// Makes the device current for the calling thread until the end of the scope, and leaves the host program's choice as it was:
/// CUDA's primary context is pushed and popped, HIP's device set and set back, neither where it is current already.
class Current {
 public:
  explicit Current(const Core& core);
  /// For destructors: a failure is seen by ok().
  Current(const Core& core, std::nothrow_t) noexcept;
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  [[nodiscard]] bool ok() const noexcept { return status_ == abi::kSuccess; }

 private:
  const Core& core_;
  abi::Status status_ = abi::kSuccess;
  bool changed_ = false;
  int previous_ = 0;
};

}  // namespace kiln::backend::gpu

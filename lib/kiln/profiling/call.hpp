// Where calls report what they do. Where nobody listens, each of these costs one look at a number.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "device/backend.hpp"
#include "kiln/profile.hpp"

namespace kiln::profiling {

using Clock = std::chrono::steady_clock;

/// How many listen; one more until the environment was asked.
inline constinit std::atomic<int> listeners{1};
[[nodiscard]] inline bool active() noexcept {
  return listeners.load(std::memory_order_relaxed) != 0;
}

struct Running;

/// A call of this thread, as long as the object lives, on the stack. It is recorded where a kernel was asked for, or a call
/// or a copy inside of it is recorded. Nothing here throws: what there is no memory for is not recorded.
class Call {
 public:
  Call() noexcept {
    if (active()) [[unlikely]]
      begin();
  }
  ~Call() {
    if (running_ != nullptr) [[unlikely]]
      end();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Whether someone listens, and what follows has a use.
  [[nodiscard]] explicit operator bool() const noexcept { return running_ != nullptr; }
  void named(const std::string& function) const noexcept;
  void on(const Device& device, const backend::Queue* queue) const noexcept;
  /// An operand of so many elements, and so many bytes.
  void reads(std::int64_t elements, std::int64_t bytes) const noexcept;
  void writes(std::int64_t elements, std::int64_t bytes) const noexcept;

 private:
  friend class Copy;
  void begin() noexcept;
  void end() noexcept;
  Running* running_ = nullptr;
};

/// The look-up of the kernel of this thread's call.
class Load {
 public:
  Load() noexcept {
    if (active()) [[unlikely]]
      begin();
  }
  ~Load() {
    if (running_ != nullptr) [[unlikely]]
      end();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  void found(KernelOrigin origin, const std::optional<CompileStages>& stages) noexcept {
    origin_ = origin;
    stages_ = stages;
  }

 private:
  void begin() noexcept;
  void end() const noexcept;
  Running* running_ = nullptr;
  KernelOrigin origin_ = KernelOrigin::compiled;  // of what fails
  std::optional<CompileStages> stages_;
  Clock::time_point start_;
};

/// A launch of this thread's call. For who has asked active().
class Launch {
 public:
  Launch(backend::Backend& backend, const backend::Module& module, backend::Queue* queue) noexcept {
    begin(backend, module, queue);
  }
  /// It is queued, or (on the CPU's default stream) done.
  void queued(backend::Queue* queue) noexcept {
    if (running_ != nullptr) end(queue);
  }

 private:
  void begin(backend::Backend& backend, const backend::Module& module, backend::Queue* queue) noexcept;
  void end(backend::Queue* queue) noexcept;
  Running* running_ = nullptr;
};

/// A copy between the host and a device, or within devices: a record of its own, from the object's beginning to its end.
class Copy {
 public:
  Copy(const char* function, const Device& device, backend::Queue* queue, std::int64_t elements, std::int64_t bytes) noexcept {
    if (call_) [[unlikely]]
      begin(function, device, queue, elements, bytes);
  }
  ~Copy() {
    if (call_) [[unlikely]]
      end();
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

 private:
  void begin(const char* function, const Device& device, backend::Queue* queue, std::int64_t elements,
             std::int64_t bytes) noexcept;
  void end() noexcept;
  Call call_;
  backend::Queue* queue_ = nullptr;
};

/// While it lives, calls of this thread are not recorded.
class Silence {
 public:
  Silence() noexcept;
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
};

}  // namespace kiln::profiling

// A kernel loaded on the CPU, and what is known of its speed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "device/backend.hpp"
#include "device/cpu/code_image.hpp"
#include "device/cpu/signal_guard.hpp"
#include "device/kernel_abi.hpp"
#include "library/locate.hpp"

namespace kiln::backend::cpu {

class CpuModule : public Module {
 public:
  /// DeviceError where the code cannot be loaded or holds no kernel.
  CpuModule(std::string_view code, const std::string& name, const std::string& debug_folder = {});

  /// The kernel as the function that its kind says it is (kernels-src/<kind>/abi.hpp).
  template <class Kernel>
  [[nodiscard]] Kernel kernel() const noexcept {
    return reinterpret_cast<Kernel>(entry_);
  }
  /// What a kernel that is a table of loops has in it.
  template <class Parts>
  [[nodiscard]] const Parts& parts() const noexcept {
    const Parts* parts = nullptr;
    kernel<void (*)(const Parts**)>()(&parts);
    return *parts;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept override { return image_.memory_bytes(); }
  [[nodiscard]] ModuleVariable variable(const std::string& symbol) const override { return {image_.symbol(symbol.c_str()), 0}; }

  /// The RaceTable (kernels-src/raw/race.hpp) of a kernel that finds races; else null.
  [[nodiscard]] void* races() const noexcept { return races_; }

  /// Nanoseconds of one thread for one element, as last measured; 0 where it was not. Any thread may set it: it only
  /// decides how the work is cut.
  [[nodiscard]] float element_ns() const noexcept { return element_ns_.load(std::memory_order_relaxed); }
  void set_element_ns(double ns) const noexcept { element_ns_.store(static_cast<float>(ns), std::memory_order_relaxed); }

  /// True at one call in 256. Lost counts among threads do not matter.
  [[nodiscard]] bool time_for_a_look() const noexcept {
    const std::uint8_t calls = calls_.load(std::memory_order_relaxed);
    calls_.store(static_cast<std::uint8_t>(calls + 1), std::memory_order_relaxed);
    return calls == 255;
  }

  /// Whether it is in debug mode.
  [[nodiscard]] bool reports_crashes() const noexcept { return crashed_ != nullptr; }
  /// Makes a crash one of its faults, with the place in the user's text. Called by the thread that it was in. Thread-safe.
  void report(const Crash& crash) const;

 private:
  CodeImage image_;
  void (*entry_)();
  void* races_ = nullptr;
  void (*crashed_)(int signal, std::uint64_t address, int what, int line, int column, const char* file);
  [[nodiscard]] SourcePlace place_of(std::uintptr_t instruction) const;

  std::string code_;  ///< with debug information; empty where it has none
  mutable base::ForkSafeMutex place_mutex_;
  mutable std::uintptr_t placed_ = 0;
  mutable SourcePlace place_;  ///< of that instruction
  mutable std::atomic<float> element_ns_{0};
  mutable std::atomic<std::uint8_t> calls_{0};
};

}  // namespace kiln::backend::cpu

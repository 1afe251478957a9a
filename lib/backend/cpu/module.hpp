// A kernel loaded on the CPU, and what is known of its speed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "backend/backend.hpp"
#include "backend/cpu/code_image.hpp"
#include "backend/kernel_abi.hpp"

namespace kiln::backend::cpu {

class CpuModule : public Module {
 public:
  /// DeviceError where the code cannot be loaded or holds no kernel.
  CpuModule(std::string_view code, const std::string& name);

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

 private:
  CodeImage image_;
  void (*entry_)();
  mutable std::atomic<float> element_ns_{0};
  mutable std::atomic<std::uint8_t> calls_{0};
};

}  // namespace kiln::backend::cpu

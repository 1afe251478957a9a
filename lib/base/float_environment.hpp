// The floating-point environment that kiln computes in: rounding to nearest, subnormal numbers, no traps.
#pragma once

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif
#include <cstdint>

namespace kiln::base {

/// Gives the calling thread the default floating-point environment, and its own back at the end. Costs a few nanoseconds. The
/// compiler may move arithmetic on local variables out of the scope; values in memory and calls of functions stay inside.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() noexcept : before_(read()) {
    if (!is_default(before_)) [[unlikely]]
      write(kDefault);
  }
  ~DefaultFloatEnvironment() {
    if (!is_default(before_)) [[unlikely]]
      write(before_);
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
#if defined(__x86_64__)
  struct Registers {
    std::uint32_t sse;
    std::uint16_t x87;
  };
  static constexpr Registers kDefault{0x1f80, 0x037f};
  static Registers read() noexcept {
    Registers now = kDefault;
    asm volatile("stmxcsr %0" : "=m"(now.sse) : : "memory");
    // Reading the x87's word takes longer than a small call may. What changes its rounding or traps changes SSE's too.
    if (!is_default(now)) [[unlikely]] {
      asm volatile("fnstcw %0" : "=m"(now.x87) : : "memory");
    }
    return now;
  }
  static void write(const Registers& to) noexcept {
    // An exception that is pending would be raised where it is no longer masked.
    asm volatile("ldmxcsr %0\n\tfnclex\n\tfldcw %1" : : "m"(to.sse), "m"(to.x87) : "memory");
  }
  static bool is_default(const Registers& registers) noexcept {
    constexpr std::uint32_t kSseControls = 0xffc0;  // the rest are flags of exceptions that were raised
    return ((registers.sse ^ kDefault.sse) & kSseControls) == 0;
  }
#elif defined(__aarch64__)
  using Registers = std::uint64_t;  // FPCR
  static constexpr Registers kDefault = 0;
  static Registers read() noexcept {
    Registers now = 0;
    asm volatile("mrs %0, fpcr" : "=r"(now) : : "memory");
    return now;
  }
  static void write(Registers to) noexcept { asm volatile("msr fpcr, %0" : : "r"(to) : "memory"); }
  static bool is_default(Registers registers) noexcept { return registers == kDefault; }
#else
  using Registers = std::fenv_t;
  inline static const Registers& kDefault = *FE_DFL_ENV;
  static Registers read() noexcept {
    Registers now;
    std::fegetenv(&now);
    return now;
  }
  static void write(const Registers& to) noexcept { std::fesetenv(&to); }
  static bool is_default(const Registers&) noexcept { return false; }
#endif

  const Registers before_;
};

}  // namespace kiln::base

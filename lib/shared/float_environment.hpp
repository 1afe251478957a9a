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
      set_default();
  }
  ~DefaultFloatEnvironment() {
    if (!is_default(before_)) [[unlikely]]
      restore();
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
#if defined(__x86_64__)
  /// SSE's alone: reading the x87's control word would take as long as a small call does. What changes its rounding or its
  /// traps changes SSE's too.
  using Registers = std::uint32_t;
  static constexpr Registers kDefault = 0x1f80;
  static constexpr std::uint16_t kDefaultX87 = 0x037f;
  static Registers read() noexcept {
    Registers now;  // NOLINT(cppcoreguidelines-init-variables): it is written
    asm volatile("stmxcsr %0" : "=m"(now) : : "memory");
    return now;
  }
  [[gnu::cold]] void set_default() noexcept {
    asm volatile("fnstcw %0" : "=m"(x87_) : : "memory");
    write(kDefault, kDefaultX87);
  }
  [[gnu::cold]] void restore() const noexcept { write(before_, x87_); }
  static void write(Registers sse, std::uint16_t x87) noexcept {
    // An exception that is pending would be raised where it is no longer masked.
    asm volatile("ldmxcsr %0\n\tfnclex\n\tfldcw %1" : : "m"(sse), "m"(x87) : "memory");
  }
  static bool is_default(Registers sse) noexcept {
    constexpr Registers kControls = 0xffc0;  // the rest are flags of exceptions that were raised
    return ((sse ^ kDefault) & kControls) == 0;
  }

  std::uint16_t x87_ = kDefaultX87;
#elif defined(__aarch64__)
  using Registers = std::uint64_t;  // FPCR
  static constexpr Registers kDefault = 0;
  static Registers read() noexcept {
    Registers now = 0;
    asm volatile("mrs %0, fpcr" : "=r"(now) : : "memory");
    return now;
  }
  static void set_default() noexcept { write(kDefault); }
  void restore() const noexcept { write(before_); }
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
  static void set_default() noexcept { std::fesetenv(&kDefault); }
  void restore() const noexcept { std::fesetenv(&before_); }
  static bool is_default(const Registers&) noexcept { return false; }
#endif

  const Registers before_;
};

}  // namespace kiln::base

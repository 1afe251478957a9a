// The `.approx` instructions (PTX ISA 8.5, 9.7.3, 9.7.4): computed in double and rounded once, which lies inside all bounds
// that the manual gives. Hardware's last bits are others, and differ between GPUs. NaN results are canonical.
#pragma once

#include "emulator/arithmetic/format.hpp"

namespace kiln::emulator {

// Each takes and gives subnormal numbers, or flushes both to zeros of their sign (`ftz`).

/// 9.7.3.13. Of a zero: infinity of its sign.
[[nodiscard]] float rcp_approx(float a, bool ftz) noexcept;
/// 9.7.3.15. NaN of a negative number; -0 of -0.
[[nodiscard]] float sqrt_approx(float a, bool ftz) noexcept;
/// 9.7.3.16. NaN of a negative number; infinity of a zero, with its sign.
[[nodiscard]] float rsqrt_approx(float a, bool ftz) noexcept;
/// div.approx: where 2^126 < |b| < 2^128, a zero of the quotient's sign, or NaN of an infinite a. 9.7.3.8.
[[nodiscard]] float div_approx(float a, float b, bool ftz) noexcept;
/// div.full.
[[nodiscard]] float div_full(float a, float b, bool ftz) noexcept;
/// 9.7.3.18. In radians; NaN of an infinity.
[[nodiscard]] float sin_approx(float a, bool ftz) noexcept;
/// 9.7.3.19.
[[nodiscard]] float cos_approx(float a, bool ftz) noexcept;
/// 9.7.3.20. -infinity of a zero; NaN of a negative number.
[[nodiscard]] float lg2_approx(float a, bool ftz) noexcept;
/// 9.7.3.21.
[[nodiscard]] float ex2_approx(float a, bool ftz) noexcept;
/// 9.7.3.22. Of any format but double; PTX has no ftz of it.
template <Floating T>
  requires(sizeof(T) < 8)
[[nodiscard]] T tanh_approx(T a) noexcept;

/// ex2.approx.f16 and, with its ftz, ex2.approx.ftz.bf16. 9.7.4.10.
[[nodiscard]] Half ex2_approx(Half a) noexcept;
[[nodiscard]] BFloat16 ex2_approx(BFloat16 a) noexcept;

/// rcp.approx.ftz.f64: of the upper 32 bits of a, with a relative error below 2^-20; the lower 32 bits of the result are 0.
/// Subnormal operands and results are zeros; NaN gives 0x7fffffff00000000. 9.7.3.14.
[[nodiscard]] double rcp_approx_ftz(double a) noexcept;
/// rsqrt.approx.ftz.f64, the same way. 9.7.3.17.
[[nodiscard]] double rsqrt_approx_ftz(double a) noexcept;
/// rsqrt.approx.f64: all bits of a. 9.7.3.16.
[[nodiscard]] double rsqrt_approx(double a) noexcept;

}  // namespace kiln::emulator

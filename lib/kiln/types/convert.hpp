// Values from one dtype to another, as C++ converts them: float to integer truncates, complex to real drops the imaginary
// part, anything to bool asks whether it differs from 0. Where C++ leaves the result undefined (a float out of an
// integer's range) the nearest end of the range is taken, and 0 for NaN. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kiln/dtype.hpp"

namespace kiln {

/// Converts one value. Both addresses are aligned to their dtypes and may be the same. A bool byte other than 0 counts as 1.
void convert_scalar(DType from, const void* src, DType to, void* dst) noexcept;

/// Whether the integer (or bool) at `value` is in the range of `to`, as NEP 50 asks of weak integers: always true where `to`
/// is floating or complex.
[[nodiscard]] bool integer_fits(DType from, const void* value, DType to) noexcept;

/// Whether the number at `value`, of a floating dtype and cut to a whole one, is in the range of the integer dtype `to`; no for
/// nan and inf.
[[nodiscard]] bool float_fits(DType from, const void* value, DType to) noexcept;

/// The integer (or bool) at `value` in decimal digits, for messages.
[[nodiscard]] std::string integer_text(DType from, const void* value);

/// Converts `count` elements; strides in bytes, of any sign. The ranges may be the same or do not overlap.
using ConvertLoop = void (*)(const char* from, std::ptrdiff_t from_stride, char* to, std::ptrdiff_t to_stride,
                             std::ptrdiff_t count);

/// The loop for a pair of dtypes. Equal dtypes give a plain copy of the bytes.
[[nodiscard]] ConvertLoop convert_loop(DType from, DType to) noexcept;

}  // namespace kiln

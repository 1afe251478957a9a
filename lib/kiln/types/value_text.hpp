// Values of any dtype as text that is read back to the same bits: "5", "0.1", "-0", "inf", "nan(0x7fc00001)", "(1.5,-2)".
#pragma once

#include <string>
#include <string_view>

#include "kiln/dtype.hpp"

namespace kiln {

/// The value at that address: the fewest digits that single it out in its dtype; a NaN by its bits.
[[nodiscard]] std::string value_text(DType dtype, const void* value);

/// Reads what value_text() writes to itemsize(dtype) bytes. False for any other text, and where the dtype does not hold the
/// number; then the bytes are unspecified.
[[nodiscard]] bool read_value(std::string_view text, DType dtype, void* value) noexcept;

}  // namespace kiln

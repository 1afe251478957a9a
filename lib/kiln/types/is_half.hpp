#pragma once

#include "kiln/dtype.hpp"

namespace kiln {

/// Whether it is one of the dtypes that bodies compute with as float32.
[[nodiscard]] constexpr bool is_half(DType dtype) noexcept {
  return dtype == DType::float16 || dtype == DType::bfloat16;
}

}  // namespace kiln

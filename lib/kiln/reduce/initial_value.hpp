// What a reduction starts from, as the number that its kernels take.
#pragma once

#include <array>
#include <string>

#include "kernel/reduction/launch.hpp"
#include "kiln/arg.hpp"
#include "kiln/dtype.hpp"
#include "kiln/stream.hpp"

namespace kiln::reduce {

/// An accumulator on the host.
struct alignas(16) InitialValue {
  std::array<unsigned char, kinds::kAccumulatorBytes> bytes{};
};

/// `.initial` as an accumulator of the loop's dtype. An array of one element is read once the work of `stream` is done.
/// TypeError for a number that the dtype cannot hold and for an empty handle, ShapeError for an array of more elements; `what`
/// is the call and `loop` the loop for their messages.
[[nodiscard]] InitialValue initial_value(const std::string& what, const Arg& given, const Stream& stream, DType to,
                                         const std::string& loop);

}  // namespace kiln::reduce

// A call: where it runs, what .out must be, host arrays to a GPU and back.
#pragma once

#include "call/place.hpp"
#include "fft/transform.hpp"
#include "kiln/array.hpp"
#include "kiln/device.hpp"
#include "kiln/stream.hpp"

namespace kiln::fft {

/// The transform of `a` in `out`, or where that is an empty handle in a new array. The public header says what it throws.
Array run(const Transform& transform, const Array& a, const Array& out, const call::Context& context);

/// `a` transformed into `out`, which has the transform's shape and any dtype of the kind; both may be read by the host. They
/// may overlap.
void run_on_cpu(const Transform& transform, const Array& a, const Array& out, const Device& device);

/// The same of two arrays of one GPU: queued on the stream, which holds them.
void run_on_gpu(const Transform& transform, const Array& a, const Array& out, const Stream& stream);

/// The elements of `a` that a transform with that input reads: a view, whose extents are at most those.
[[nodiscard]] Array cut_to(const Array& a, const Shape& shape);

/// Whether strides are whole numbers of elements, none of them 0, as libraries want them.
[[nodiscard]] bool has_whole_strides(const Array& a);

/// Whether both are the same elements in the same places.
[[nodiscard]] bool is_same_window(const Array& a, const Array& b);

/// What the library is to read, and where a copy of it has to be made for that.
enum class Source : std::uint8_t {
  as_it_is,   ///< the input, cut off
  in_result,  ///< a copy in the place of the result
  copied,     ///< a copy of its own
};
/// `target` is where the result is computed.
[[nodiscard]] Source source_of(const Transform& transform, const Array& a, const Array& target);

}  // namespace kiln::fft

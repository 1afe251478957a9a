// reduceat: segments of one axis, each reduced for itself.
#include <algorithm>
#include <string>
#include <vector>

#include "call/window.hpp"
#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "types/convert.hpp"
#include "ufunc/recorder.hpp"
#include "ufunc/reduce.hpp"

namespace kiln::ufunc {
namespace {

void check_indices(const std::string& what, const Array& indices) {
  if (!indices) throw TypeError(what + ": the indices are an empty Array handle, not an array");
  if (kind(indices.dtype()) != Kind::integer) {
    throw TypeError(what + ": indices are integers, not " + std::string(name(indices.dtype())));
  }
  if (indices.ndim() != 1) {
    throw ShapeError(what + ": the indices have shape " + to_string(indices.shape()) + "; give one axis of them");
  }
}

/// Where the segments begin, as int64, wherever and however the indices are stored.
class Begins {
 public:
  /// `apart`: the indices may change under the call, so those that it has are to be its own.
  Begins(const Array& indices, bool apart)
      : host_(indices.rep()->on_host && indices.is_c_contiguous() && !apart ? indices : indices.copy_to_host()) {
    if (host_.dtype() == DType::int64) return;
    values_.resize(static_cast<std::size_t>(host_.size()));
    convert_loop(host_.dtype(), DType::int64)(static_cast<const char*>(host_.data()),
                                              static_cast<std::ptrdiff_t>(itemsize(host_.dtype())),
                                              reinterpret_cast<char*>(values_.data()), sizeof(std::int64_t), host_.size());
    if (host_.dtype() != DType::uint64) return;
    // What int64 does not hold is out of any range.
    for (std::int64_t& value : values_) value = value < 0 ? INT64_MAX : value;
  }

  [[nodiscard]] std::span<const std::int64_t> all() const {
    return host_.dtype() == DType::int64
               ? std::span(static_cast<const std::int64_t*>(host_.data()), static_cast<std::size_t>(host_.size()))
               : values_;
  }

 private:
  Array host_;
  std::vector<std::int64_t> values_;
};

}  // namespace

void Reduce::check_segments() {
  if (array_->shape.empty()) throw ShapeError(what() + ": a 0-d array has no axis to take segments of; give one with an axis");
  while (reduced_[axis_] == 0) ++axis_;
  const std::int64_t extent = array_->shape[axis_];
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    if (indices_[i] >= 0 && indices_[i] < extent) continue;
    // One of uint64 is read as the largest of int64.
    throw ShapeError(what() + ": index " + std::to_string(indices_[i]) + (indices_[i] == INT64_MAX ? " or above" : "") +
                     " at position " + std::to_string(i) + " is out of range for axis " + std::to_string(axis_) +
                     " of extent " + std::to_string(extent) +
                     (extent > 0 ? "; give 0 to " + std::to_string(extent - 1) : "; there is nothing to index"));
  }
  // The axis stays, with an extent for each segment.
  shape_ = array_->shape;
  shape_[axis_] = static_cast<std::int64_t>(indices_.size());
  outputs_ *= shape_[axis_];
}

// The segments are one more kept axis, along which the array stands still: it moves along what is reduced, from the beginning
// that the last operand gives for the segment.
layout::Reduction Reduce::lay_out_segments(const Operands& operands, Addresses& addresses) const {
  const detail::ArrayRep& array = operands.array;
  const detail::ArrayRep& result = operands.result;
  Shape shape = array.shape;
  Dims reduced = reduced_;
  Strides of_array = array.strides;
  Strides of_result = strides_of_result(result);
  Strides of_begins(shape.size(), 0);
  shape.push_back(static_cast<std::int64_t>(indices_.size()));
  reduced.push_back(0);
  of_array.push_back(0);
  of_result.push_back(result.strides[axis_]);
  of_begins.push_back(1);
  const std::int64_t* const strides[] = {of_array.data(), of_result.data(), of_begins.data()};
  layout::Reduction layout({.shape = {shape.data(), shape.size()},
                            .reduced = {reduced.data(), reduced.size()},
                            .strides = strides,
                            .in_order = true});
  addresses[0] = {.address = array.data + layout.offset(0), .itemsize = static_cast<std::int64_t>(itemsize(array.dtype))};
  addresses[1] = {.address = result.data + layout.offset(1), .itemsize = static_cast<std::int64_t>(itemsize(result.dtype))};
  return layout;
}

void Reduce::launch_segments(const Array& target) {
  Shape shape = array_->shape;
  const std::int64_t extent = shape[axis_];
  const kinds::ReductionSegments segments{indices_, extent, target.rep()->strides[axis_]};
  const bool on_cpu = place_.device.is_cpu();
  Recorder* const recorder = ufunc::recorder();
  if (on_cpu) {
    // Any extent that the layout does not leave out.
    shape[axis_] = 2;
    launch({.shape = shape, .segments = &segments}, target);
    if (recorder == nullptr) return;
  }
  // A GPU's launches, or on the CPU the report of those that it would have.
  const auto run = [&](const Piece& piece) { on_cpu ? record(*recorder, piece, target) : launch(piece, target); };
  const SegmentLengths lengths = lengths_of(segments);
  if (share_a_launch(lengths)) return run({.shape = array_->shape, .segments = &segments, .lengths = &lengths});
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    shape[axis_] = segments.count(i);
    run({.shape = shape, .begin = indices_[i], .segment = static_cast<std::int64_t>(i)});
  }
}

}  // namespace kiln::ufunc

namespace kiln {

Array Ufunc::reduceat(const Array& a, const Array& indices, const AccumulateOptions& options) const {
  ufunc::check_indices(name() + ".reduceat", indices);
  // They are read here, and queued work may still write them.
  if (backend::Queue* const queue = options.stream.queue().get(); queue != nullptr) queue->synchronize();
  const ufunc::Begins begins(indices, options.out && call::share_memory(*indices.rep(), *options.out.rep()));
  const ReduceOptions own{.axis = options.axis, .dtype = options.dtype, .out = options.out, .stream = options.stream};
  return ufunc::Reduce(*impl_, a, begins.all(), own).run();
}

}  // namespace kiln

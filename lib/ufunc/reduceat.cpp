// reduceat: segments of one axis, each reduced for itself.
#include <algorithm>
#include <string>
#include <vector>

#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "types/convert.hpp"
#include "ufunc/recorder.hpp"
#include "ufunc/reduce.hpp"
#include "ufunc/window.hpp"

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

/// As int64, wherever and however they are stored. A uint64 that int64 does not hold becomes the largest int64, which is out of
/// any range.
std::vector<std::int64_t> read_indices(const Array& indices) {
  const Array host = indices.copy_to_host();
  std::vector<std::int64_t> values(static_cast<std::size_t>(host.size()));
  const auto size = static_cast<std::ptrdiff_t>(itemsize(host.dtype()));
  const char* from = static_cast<const char*>(host.data());
  for (std::int64_t& value : values) {
    if (!integer_fits(host.dtype(), from, DType::int64)) {
      value = INT64_MAX;
    } else {
      convert_scalar(host.dtype(), from, DType::int64, &value);
    }
    from += size;
  }
  return values;
}

}  // namespace

void Reduce::check_segments() {
  if (array_->shape.empty()) throw ShapeError(what() + ": a 0-d array has no axis to take segments of; give one with an axis");
  while (reduced_[axis_] == 0) ++axis_;
  const std::int64_t extent = array_->shape[axis_];
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    if (indices_[i] >= 0 && indices_[i] < extent) continue;
    throw ShapeError(what() + ": index " + std::to_string(indices_[i]) + " at position " + std::to_string(i) +
                     " is out of range for axis " + std::to_string(axis_) + " of extent " + std::to_string(extent) +
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
  const backend::ReductionSegments segments{indices_, extent, target.rep()->strides[axis_]};
  const bool on_cpu = device_.is_cpu();
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
  // Read where they are, if they can be and stay what they are.
  const bool direct = indices.dtype() == DType::int64 && indices.is_c_contiguous() && indices.rep()->on_host &&
                      (!options.out || !ufunc::share_memory(*indices.rep(), *options.out.rep()));
  const std::vector<std::int64_t> read = direct ? std::vector<std::int64_t>() : ufunc::read_indices(indices);
  const std::span<const std::int64_t> begins =
      direct ? std::span(static_cast<const std::int64_t*>(indices.data()), static_cast<std::size_t>(indices.size())) : read;
  const ReduceOptions own{.axis = options.axis, .dtype = options.dtype, .out = options.out, .stream = options.stream};
  return ufunc::Reduce(*impl_, a, begins, own).run();
}

}  // namespace kiln

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

void Reduce::launch_segments(const Array& target) {
  Shape shape = array_->shape;
  const std::int64_t extent = shape[axis_];
  const backend::ReductionSegments segments{indices_, extent, target.rep()->strides[axis_]};
  const bool at_once = device_.kind() == DeviceKind::cpu;
  if (at_once) {
    // Any extent that the layout does not leave out.
    shape[axis_] = 2;
    launch({.shape = shape, .segments = &segments}, target);
  }
  Recorder* const recorder = ufunc::recorder();
  for (std::size_t i = 0; i < indices_.size() && (!at_once || recorder != nullptr); ++i) {
    shape[axis_] = segments.count(i);
    const Piece piece{.shape = shape, .begin = indices_[i], .segment = static_cast<std::int64_t>(i)};
    at_once ? record(*recorder, piece, target) : launch(piece, target);
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

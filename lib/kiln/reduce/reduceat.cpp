// reduceat: segments of one axis, each reduced for itself.
#include <algorithm>
#include <string>
#include <vector>

#include "call/arrays_of.hpp"
#include "call/stoppable.hpp"
#include "call/window.hpp"
#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "reduce/call.hpp"
#include "reduce/method.hpp"
#include "types/convert.hpp"
#include "types/reason.hpp"

namespace kiln::reduce {
namespace {

void check_indices(const std::string& what, const Array& indices) {
  if (!indices.valid()) throw TypeError(what + ": the indices are an empty Array handle, not an array");
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

void Call::check_segments() {
  if (whole_.empty()) throw ShapeError(target_.what() + ": a 0-d array has no axis to take segments of; give one with an axis");
  while (reduced_[axis_] == 0) ++axis_;
  const std::int64_t extent = whole_[axis_];
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    if (begins_[i] >= 0 && begins_[i] < extent) continue;
    // One of uint64 is read as the largest of int64.
    throw Because<ShapeError>(
        Reason::index, target_.what() + ": index " + std::to_string(begins_[i]) + (begins_[i] == INT64_MAX ? " or above" : "") +
                           " at position " + std::to_string(i) + " is out of range for axis " + std::to_string(axis_) +
                           " of extent " + std::to_string(extent) +
                           (extent > 0 ? "; give 0 to " + std::to_string(extent - 1) : "; there is nothing to index"));
  }
  if (!operands_.planned()) segments_->segments = static_cast<std::int64_t>(begins_.size());
  if (segments_->longest > extent) {
    throw ShapeError(target_.what() + ": the longest segment has " + std::to_string(segments_->longest) +
                     " elements, and the axis " + std::to_string(extent));
  }
  // The axis stays, with an extent for each segment.
  shape_ = whole_;
  shape_[axis_] = segments_->segments;
  detail::checked_size(shape_);
  outputs_ *= shape_[axis_];
}

}  // namespace kiln::reduce

namespace kiln {

Array Ufunc::reduceat(const Array& a, const Array& indices, const AccumulateOptions& options) const {
  impl_->check_of_elements(".reduceat");
  reduce::check_indices(name() + ".reduceat", indices);
  // They are read here, and queued work may still write them.
  if (backend::Queue* const queue = options.stream.queue().get(); queue != nullptr) queue->synchronize();
  const Array out = call::array_of(options.out);
  const reduce::Begins begins(indices, out.valid() && call::share_memory(*indices.rep(), *out.rep()));
  const reduce::Method method(*impl_, ufunc::Method::reduceat);
  const Axes axis = options.axis;
  const Arg arg(a);
  Array result;
  call::stoppable(name(), ".reduceat", options, [&](const backend::StopRequest* stop) {
    reduce::Call(method, {&arg, 1},
                 {.axis = axis,
                  .keepdims = false,
                  .initial = std::nullopt,
                  .where = call::kNoMask,
                  .out = {&options.out, options.out.valid() ? 1U : 0U},
                  .loop = {.dtype = options.dtype},
                  .stream = options.stream,
                  .device = options.device,
                  .stop = stop},
                 begins.all())
        .run({&result, 1});
  });
  return result;
}

}  // namespace kiln

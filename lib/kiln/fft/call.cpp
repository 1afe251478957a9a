#include "fft/call.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "array/access.hpp"
#include "array/rep.hpp"
#include "call/place.hpp"
#include "call/shapes.hpp"
#include "call/staging.hpp"
#include "call/window.hpp"
#include "device/backend.hpp"
#include "device/capture.hpp"
#include "kiln/error.hpp"
#include "profiling/call.hpp"
#include "shared/float_environment.hpp"

namespace kiln::fft {
namespace {

constexpr auto operand_name = [](std::size_t operand) { return std::string(operand == 0 ? "the input" : ".out"); };

void check_out(const Transform& transform, const Array& out) {
  const detail::ArrayRep& rep = *out.rep();
  const std::string what = transform.name;
  call::check_output(what, rep, transform.out_shape, operand_name, 1);
  if (can_cast(transform.result_dtype, rep.dtype, Casting::same_kind)) return;
  throw TypeError(what + ": .out is " + std::string(name(rep.dtype)) + ", the result is " +
                  std::string(name(transform.result_dtype)) + "; give an .out of that dtype");
}

Array run_there(const Transform& transform, const Array& a, const Array& out, const call::Place& place, const Stream& stream) {
  const bool fetched = out.valid() ? out.is_host() : place.on_host;
  const DType dtype = out.valid() ? out.dtype() : transform.result_dtype;
  const Array source = a.is_host() ? call::send(a, place.device, place.queue) : a;
  Array target = out;
  if (fetched) {
    target = call::allocate_for(place.queue, transform.out_shape, dtype, place.device);
  } else if (!out.valid()) {
    target = device_array(transform.out_shape, dtype, place.device);
  }
  run_on_gpu(transform, source, target, stream);
  if (!fetched) return target;
  Array host = out.valid() ? out : Array::empty(transform.out_shape, dtype);
  call::fetch(target, host, place.queue);
  return host;
}

}  // namespace

Array run(const Transform& transform, const Array& a, const Array& out, const call::Context& wanted) {
  const base::DefaultFloatEnvironment floats;
  backend::Capture::refuse(transform.name, "it is no kernel of kiln's; call it before or after the graph");
  if (out.valid()) check_out(transform, out);
  const std::array<const detail::ArrayRep*, 2> reps = {&detail::rep_of(a), out.rep().get()};
  const call::Place place = call::choose_place(
      std::string(transform.name), reps.size(), [&](std::size_t i) { return reps[i]; }, operand_name, wanted);
  const profiling::Call profiled;
  if (profiled) {
    profiled.named(transform.name);
    profiled.on(place.device, place.queue);
    profiled.reads(a.size(), a.nbytes());
  }
  if (place.gpu()) return run_there(transform, a, out, place, wanted.stream);
  Array result =
      out.valid() ? out
                  : detail::allocate_packed(transform.out_shape, transform.result_dtype, Order::c, place.on_host, place.device);
  if (place.queue == nullptr) {
    run_on_cpu(transform, a, result, place.device);
  } else {
    place.queue->run([transform, a, result, device = place.device] { run_on_cpu(transform, a, result, device); });
  }
  return result;
}

Array cut_to(const Array& a, const Shape& shape) {
  std::vector<Index> index(shape.size(), all);
  bool cuts = false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (a.shape()[axis] <= shape[axis]) continue;
    index[axis] = Slice{0, shape[axis]};
    cuts = true;
  }
  return cuts ? a.slice(index) : a;
}

bool has_whole_strides(const Array& a) {
  const auto item = static_cast<std::int64_t>(itemsize(a.dtype()));
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis) {
    if (a.shape()[axis] > 1 && (a.strides()[axis] == 0 || a.strides()[axis] % item != 0)) return false;
  }
  return true;
}

bool is_same_window(const Array& a, const Array& b) {
  if (a.data() != b.data() || a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis) {
    if (a.shape()[axis] > 1 && a.strides()[axis] != b.strides()[axis]) return false;
  }
  return true;
}

Source source_of(const Transform& transform, const Array& a, const Array& target) {
  const bool shares = call::share_memory(*a.rep(), *target.rep());
  const Array part = cut_to(a, transform.in_shape);
  const bool usable = part.shape() == transform.in_shape && a.dtype() == transform.in_dtype && has_whole_strides(part);
  if (usable && (!shares || (transform.kind == FftKind::complex && is_same_window(part, target)))) return Source::as_it_is;
  return transform.kind == FftKind::complex && !shares ? Source::in_result : Source::copied;
}

}  // namespace kiln::fft

// Transforms by the library of a GPU's vendor.
#include "fft/on_gpu.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "array/on_device.hpp"
#include "array/rep.hpp"
#include "call/staging.hpp"
#include "device/backend.hpp"
#include "fft/call.hpp"
#include "fft/plan_cache.hpp"
#include "kiln/math.hpp"
#include "registry/registry.hpp"

namespace kiln::fft {
namespace {

/// cuFFT's plans take device memory of their own, tens of kilobytes and for awkward sizes more.
constexpr std::size_t kMostGpuPlans = 32;
/// More executions than this take longer to queue than a copy takes that makes one of them.
constexpr std::int64_t kMostExecutions = 16;
constexpr std::size_t kMostRank = 3;

/// What one call needs to queue its work.
struct Gpu {
  const Transform& transform;
  const Stream& stream;
  Device device;
  backend::Backend& backend;

  [[nodiscard]] backend::Queue* queue() const { return stream.queue().get(); }
  [[nodiscard]] Array allocate(const Shape& shape, DType dtype) const {
    return call::allocate_for(queue(), shape, dtype, device);
  }
};

PlanKey key_of(const backend::Backend& backend, const backend::FftLayout& layout) {
  PlanKey key = {static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&backend)), static_cast<std::int64_t>(layout.kind),
                 layout.single ? 1 : 0, layout.rank, layout.batch};
  key.insert(key.end(), layout.n.begin(), layout.n.end());
  for (const backend::FftSide* side : {&layout.in, &layout.out}) {
    key.insert(key.end(), side->embed.begin(), side->embed.end());
    key.insert(key.end(), {side->stride, side->distance});
  }
  return key;
}

std::shared_ptr<backend::FftPlan> gpu_plan(const Gpu& gpu, const backend::FftLayout& layout) {
  // Leaked on purpose: a plan's end wants the driver, which may be gone by then.
  static auto& plans = *new PlanCache<backend::FftPlan>(kMostGpuPlans);
  return plans.find_or_make(key_of(gpu.backend, layout), [&] { return gpu.backend.make_fft(layout); });
}

void execute(const Gpu& gpu, const GpuExecutions& all, const Array& from, const Array& to) {
  const auto plan = gpu_plan(gpu, all.layout);
  std::shared_ptr<const void> keep;
  if (gpu.backend.asynchronous(gpu.queue())) {
    keep = std::make_shared<const std::pair<std::pair<Array, Array>, std::shared_ptr<const void>>>(std::pair(from, to), plan);
  }
  std::vector<std::int64_t> position(all.loops.size(), 0);
  char* in = static_cast<char*>(from.data());
  char* out = static_cast<char*>(to.data());
  while (true) {
    plan->execute(in, out, gpu.transform.inverse, gpu.queue(), keep);
    std::size_t d = all.loops.size();
    while (d > 0) {
      const GpuExecutions::Loop& loop = all.loops[d - 1];
      const bool more = ++position[d - 1] < loop.count;
      const std::int64_t by = more ? 1 : 1 - loop.count;
      in += by * loop.in;
      out += by * loop.out;
      if (more) break;
      position[--d] = 0;
    }
    if (d == 0) return;
  }
}

void convert(const Gpu& gpu, const Array& from, const Array& to) {
  detail::convert_on_device(from, to, gpu.stream);
}

/// An array of that shape whose axes lie so that one execution transforms it: those axes innermost, in that order.
Array packed_for(const Gpu& gpu, const Shape& shape, DType dtype, std::span<const Axis> axes) {
  Dims order;
  const auto is_transformed = [&](std::size_t at) {
    return std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.at == at; });
  };
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!is_transformed(axis)) order.push_back(static_cast<std::int64_t>(axis));
  }
  for (const Axis& axis : axes) order.push_back(static_cast<std::int64_t>(axis.at));
  Shape permuted(shape.size(), 0);
  Dims back(shape.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    permuted[i] = shape[static_cast<std::size_t>(order[i])];
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  return gpu.allocate(permuted, dtype).transpose(back);
}

bool are_few(const std::optional<GpuExecutions>& found) {
  if (!found) return false;
  std::int64_t count = 1;
  for (const GpuExecutions::Loop& loop : found->loops) count *= loop.count;
  return count <= kMostExecutions;
}

/// cuFFT wants real numbers to begin where a complex number could.
bool begin_aligned(FftKind kind, const GpuExecutions& all, const Array& from, const Array& to) {
  if (kind == FftKind::complex) return true;
  const bool real_in = kind == FftKind::real_to_complex;
  const Array& reals = real_in ? from : to;
  const auto wanted = 2 * static_cast<std::int64_t>(itemsize(reals.dtype()));
  if (static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(reals.data())) % wanted != 0) return false;
  return std::all_of(all.loops.begin(), all.loops.end(),
                     [&](const GpuExecutions::Loop& loop) { return (real_in ? loop.in : loop.out) % wanted == 0; });
}

/// Along up to three axes.
void stage(const Gpu& gpu, FftKind kind, std::span<const Axis> axes, const Array& from, const Array& to) {
  auto found = executions(kind, axes, from, to);
  if (are_few(found) && begin_aligned(kind, *found, from, to)) return execute(gpu, *found, from, to);
  const Array packed_from = packed_for(gpu, from.shape(), from.dtype(), axes);
  convert(gpu, from, packed_from);
  const bool in_place = kind == FftKind::complex;
  const Array packed_to = in_place ? packed_from : packed_for(gpu, to.shape(), to.dtype(), axes);
  execute(gpu, *executions(kind, axes, packed_from, packed_to), packed_from, packed_to);
  convert(gpu, packed_to, to);
}

/// Complex transforms along any number of axes.
void complex_stages(const Gpu& gpu, std::span<const Axis> axes, const Array& from, const Array& to) {
  if (axes.empty()) {
    if (!is_same_window(from, to)) convert(gpu, from, to);
    return;
  }
  std::vector<Axis> ordered(axes.begin(), axes.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](const Axis& a, const Axis& b) { return to.strides()[a.at] > to.strides()[b.at]; });
  const std::span<const Axis> all_axes = ordered;
  const std::size_t rest = ordered.size() > kMostRank ? ordered.size() - kMostRank : 0;
  const std::span<const Axis> inner = all_axes.subspan(rest);
  if (inner.size() == 1 || are_few(executions(FftKind::complex, inner, from, to))) {
    stage(gpu, FftKind::complex, inner, from, to);
    if (rest > 0) complex_stages(gpu, all_axes.first(rest), to, to);
    return;
  }
  stage(gpu, FftKind::complex, all_axes.last(1), from, to);
  complex_stages(gpu, all_axes.first(ordered.size() - 1), to, to);
}

/// A copy of what is read of `a`, as the transform's dtype: in `place`, or in memory of its own.
Array copied_there(const Gpu& gpu, const Array& a, const Array& place) {
  const Transform& transform = gpu.transform;
  const Array part = cut_to(a, transform.in_shape);
  const Array copy = place.valid() ? place : gpu.allocate(transform.in_shape, transform.in_dtype);
  if (!(part.shape() == transform.in_shape)) {
    const Array zero = call::send(Array::zeros({}, transform.in_dtype), gpu.device, gpu.queue());
    convert(gpu, zero.broadcast_to(copy.shape()), copy);
  }
  convert(gpu, part, cut_to(copy, part.shape()));
  return copy;
}

void transform_there(const Gpu& gpu, const Array& source, const Array& target) {
  const std::span<const Axis> axes = gpu.transform.axes;
  switch (gpu.transform.kind) {
    case FftKind::complex:
      return complex_stages(gpu, axes, source, target);
    case FftKind::real_to_complex:
      if (axes.size() <= kMostRank && are_few(executions(FftKind::real_to_complex, axes, source, target)))
        return stage(gpu, FftKind::real_to_complex, axes, source, target);
      stage(gpu, FftKind::real_to_complex, axes.last(1), source, target);
      return complex_stages(gpu, axes.first(axes.size() - 1), target, target);
    case FftKind::complex_to_real: {
      // Both libraries overwrite what they make real, and NumPy's order tells what becomes of numbers that are not symmetric.
      const Array half = gpu.allocate(gpu.transform.in_shape, gpu.transform.in_dtype);
      complex_stages(gpu, axes.first(axes.size() - 1), source, half);
      return stage(gpu, FftKind::complex_to_real, axes.last(1), half, target);
    }
  }
}

}  // namespace

std::optional<GpuExecutions> executions(FftKind kind, std::span<const Axis> axes, const Array& from, const Array& to) {
  GpuExecutions result;
  result.layout.kind = kind;
  result.layout.single = to.dtype() == DType::float32 || to.dtype() == DType::complex64;
  result.layout.rank = static_cast<int>(axes.size());
  const auto side = [&](const Array& array, backend::FftSide& made) {
    const auto item = static_cast<std::int64_t>(itemsize(array.dtype()));
    const auto stride = [&](std::size_t k) {
      const std::size_t at = axes[k].at;
      return array.shape()[at] == 1 && k + 1 == axes.size() ? 1 : array.strides()[at] / item;
    };
    made.stride = stride(axes.size() - 1);
    if (made.stride < 1) return false;
    std::int64_t inner = made.stride;
    for (std::size_t k = axes.size() - 1; k-- > 0;) {
      const std::int64_t extent = array.shape()[axes[k + 1].at];
      if (stride(k) < 1 || stride(k) % inner != 0 || stride(k) / inner < extent) return false;
      made.embed[k + 1] = stride(k) / inner;
      inner = stride(k);
    }
    made.embed[0] = array.shape()[axes.front().at];
    return true;
  };
  for (std::size_t k = 0; k < axes.size(); ++k) result.layout.n[k] = axes[k].n;
  if (!side(from, result.layout.in) || !side(to, result.layout.out)) return std::nullopt;

  const auto is_transformed = [&](std::size_t at) {
    return std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.at == at; });
  };
  for (std::size_t at = 0; at < from.shape().size(); ++at) {
    if (is_transformed(at) || from.shape()[at] == 1) continue;
    const GpuExecutions::Loop loop{from.shape()[at], from.strides()[at], to.strides()[at]};
    GpuExecutions::Loop* const outer = result.loops.empty() ? nullptr : &result.loops.back();
    if (outer != nullptr && outer->in == loop.count * loop.in && outer->out == loop.count * loop.out) {
      *outer = {outer->count * loop.count, loop.in, loop.out};
    } else {
      result.loops.push_back(loop);
    }
  }
  const auto longest = std::max_element(result.loops.begin(), result.loops.end(), [](const auto& a, const auto& b) {
    return (a.in > 0 && a.out > 0 ? a.count : 0) < (b.in > 0 && b.out > 0 ? b.count : 0);
  });
  if (longest != result.loops.end() && longest->in > 0 && longest->out > 0) {
    result.layout.batch = longest->count;
    result.layout.in.distance = longest->in / static_cast<std::int64_t>(itemsize(from.dtype()));
    result.layout.out.distance = longest->out / static_cast<std::int64_t>(itemsize(to.dtype()));
    result.loops.erase(longest);
  }
  return result;
}

void run_on_gpu(const Transform& transform, const Array& a, const Array& out, const Stream& stream) {
  if (out.size() == 0) return;
  const Gpu gpu{transform, stream, out.device(), backend::backend_for(out.device())};
  const bool direct = out.dtype() == transform.out_dtype && has_whole_strides(out);
  const Array target = direct ? out : gpu.allocate(transform.out_shape, transform.out_dtype);
  const Source from = source_of(transform, a, target);
  const Array source = from == Source::as_it_is ? cut_to(a, transform.in_shape)
                                                : copied_there(gpu, a, from == Source::in_result ? target : Array());
  transform_there(gpu, source, target);
  if (transform.factor != 1) {
    if (transform.single()) {
      math::multiply(target, static_cast<float>(transform.factor), {.out = target, .stream = stream});
    } else {
      math::multiply(target, transform.factor, {.out = target, .stream = stream});
    }
  }
  if (!direct) convert(gpu, target, out);
}

}  // namespace kiln::fft

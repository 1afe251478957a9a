// Transforms by FFTW: copies of what it cannot read in its place, one execution or several, and the factor.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "array/mapped_file.hpp"
#include "array/rep.hpp"
#include "base/fork.hpp"
#include "base/usable_threads.hpp"
#include "device/backend.hpp"
#include "fft/call.hpp"
#include "fft/factor.hpp"
#include "fft/fftw_plan.hpp"
#include "fft/repeated.hpp"

namespace kiln::fft {
namespace {

/// Results that are multiplied while they are in a core's own cache: a second pass over memory takes a tenth of the time of the
/// transform.
constexpr std::int64_t kBlockBytes = std::int64_t{1} << 18;
/// Below so many columns a block of columns takes cache lines apart.
constexpr std::int64_t kFewestColumns = 16;
/// Points for each thread, below which waking it takes longer than it helps.
constexpr std::int64_t kPointsOfThread = std::int64_t{1} << 15;

int threads_for(const Device& device, std::int64_t points) {
  if (base::forked()) return 1;  // FFTW's threads have stayed with the parent
  const int most = device.index() > 0 ? device.index() : base::usable_threads();
  return static_cast<int>(std::clamp<std::int64_t>(points / kPointsOfThread, 1, most));
}

/// A problem, and where it is computed.
struct Job {
  FftwProblem problem;
  char* in;
  char* out;
  std::int64_t in_item;   // bytes
  std::int64_t out_item;  // bytes
};

Job job_of(const Transform& transform, FftKind kind, std::span<const Axis> axes, const Array& from, const Array& to,
           const Device& device) {
  Job job{{.kind = kind,
           .inverse = transform.inverse,
           .single = transform.single(),
           .planning = transform.planning,
           .threads = threads_for(device, std::max(from.size(), to.size()))},
          static_cast<char*>(from.data()),
          static_cast<char*>(to.data()),
          static_cast<std::int64_t>(itemsize(from.dtype())),
          static_cast<std::int64_t>(itemsize(to.dtype()))};
  std::vector<bool> transformed(from.shape().size(), false);
  const auto dim = [&](std::size_t axis, std::int64_t n) {
    return FftwDim{n, from.strides()[axis] / job.in_item, to.strides()[axis] / job.out_item};
  };
  for (const Axis& axis : axes) {
    transformed[axis.at] = true;
    job.problem.dims.push_back(dim(axis.at, axis.n));
  }
  for (std::size_t axis = 0; axis < transformed.size(); ++axis) {
    if (!transformed[axis] && from.shape()[axis] > 1) job.problem.batch.push_back(dim(axis, from.shape()[axis]));
  }
  std::sort(job.problem.batch.begin(), job.problem.batch.end(),
            [](const FftwDim& a, const FftwDim& b) { return std::abs(a.out) > std::abs(b.out); });
  return job;
}

std::int64_t result_bytes(const Job& job) {
  std::int64_t bytes = job.out_item;
  for (std::size_t i = 0; i < job.problem.dims.size(); ++i) {
    const std::int64_t n = job.problem.dims[i].n;
    const bool halved = job.problem.kind == FftKind::real_to_complex && i + 1 == job.problem.dims.size();
    bytes *= halved ? n / 2 + 1 : n;
  }
  return bytes;
}

/// Numbers that the job writes.
std::int64_t reals_of(const Job& job) {
  std::int64_t bytes = result_bytes(job);
  for (const FftwDim& dim : job.problem.batch) bytes *= dim.n;
  return bytes / (job.problem.single ? 4 : 8);
}

/// The results of a job whose arrays begin there.
Region region_of(const Job& job, char* out) {
  Region region{out, job.problem.single, job.problem.kind != FftKind::complex_to_real, {}};
  for (std::size_t i = 0; i < job.problem.dims.size(); ++i) {
    const FftwDim& dim = job.problem.dims[i];
    const bool halved = job.problem.kind == FftKind::real_to_complex && i + 1 == job.problem.dims.size();
    region.axes.push_back({halved ? dim.n / 2 + 1 : dim.n, dim.out * job.out_item});
  }
  for (const FftwDim& dim : job.problem.batch) region.axes.push_back({dim.n, dim.out * job.out_item});
  return region;
}

void execute(const Job& job, double factor, const Device& device) {
  const auto plan = plan_for(job.problem, job.in, job.out);
  plan->execute(job.in, job.out);
  if (job.problem.threads == 1) {
    Remembered::note({plan, factor, reals_of(job), job.problem.single});
  } else {
    Remembered::forget();
  }
  if (factor != 1) multiply(region_of(job, job.out), factor, device);
}

/// Along the dimension `split` of the batch in blocks of `most`, along those before it one by one; each of them by one thread,
/// which then multiplies it.
void execute_blocks(const Job& whole, std::size_t split, std::int64_t most, double factor, const Device& device) {
  Remembered::forget();
  const std::vector<FftwDim>& batch = whole.problem.batch;
  const FftwDim& along = batch[split];
  std::vector<std::ptrdiff_t> steps = {along.in * most * whole.in_item, along.out * most * whole.out_item};
  std::int64_t outer = 1;
  for (std::size_t d = 0; d < split; ++d) {
    outer *= batch[d].n;
    steps.insert(steps.end(), {batch[d].in * whole.in_item, batch[d].out * whole.out_item});
  }
  const auto block_of = [&](std::int64_t count) {
    Job block = whole;
    block.problem.threads = 1;
    block.problem.batch.erase(block.problem.batch.begin(), block.problem.batch.begin() + static_cast<std::ptrdiff_t>(split));
    block.problem.batch.front().n = count;
    return block;
  };
  const Job full = block_of(most);
  const std::int64_t rest = along.n % most;
  const Job last = block_of(rest == 0 ? most : rest);
  const auto full_plan = plan_for(full.problem, whole.in, whole.out, steps);
  const auto last_plan = rest == 0 ? full_plan : plan_for(last.problem, whole.in, whole.out, steps);
  const std::int64_t blocks = (along.n + most - 1) / most;
  for_each_task(outer * blocks, device, [&](std::int64_t task) {
    const std::int64_t block = task % blocks;
    char* in = whole.in + block * most * along.in * whole.in_item;
    char* out = whole.out + block * most * along.out * whole.out_item;
    std::int64_t index = task / blocks;
    for (std::size_t d = split; d-- > 0;) {
      in += index % batch[d].n * batch[d].in * whole.in_item;
      out += index % batch[d].n * batch[d].out * whole.out_item;
      index /= batch[d].n;
    }
    const bool is_last = block + 1 == blocks;
    (is_last ? last_plan : full_plan)->execute(in, out);
    multiply(region_of(is_last ? last : full, out), factor, device);
  });
}

/// Multiplies blocks of results while they are in the cache, where there are blocks.
void execute_multiplied(const Job& job, double factor, const Device& device) {
  const auto& batch = job.problem.batch;
  std::int64_t bytes = result_bytes(job);
  std::size_t inner = batch.size();
  while (inner > 0 && bytes * batch[inner - 1].n <= kBlockBytes) bytes *= batch[--inner].n;
  const std::int64_t count = kBlockBytes / bytes;
  const bool columns = inner == batch.size() && inner > 0 && std::abs(batch.back().out) == 1;
  if (factor == 1 || inner == 0 || count < (columns ? kFewestColumns : 1)) return execute(job, factor, device);
  execute_blocks(job, inner - 1, count, factor, device);
}

/// Whether results lie backwards along a transformed axis: for some of these layouts the planner of FFTW 3.3.10 calls itself
/// without end.
bool runs_backwards(const Transform& transform, const Array& out) {
  return std::any_of(transform.axes.begin(), transform.axes.end(),
                     [&](const Axis& axis) { return out.shape()[axis.at] > 1 && out.strides()[axis.at] < 0; });
}

/// A copy of what is read of `a`, as the transform's dtype: in `place`, or in memory of its own.
Array copied(const Transform& transform, const Array& a, const Array& place) {
  const Array part = cut_to(a, transform.in_shape);
  const bool fills = !(part.shape() == transform.in_shape);
  Array copy = place;
  if (!copy.valid()) {
    copy = fills ? Array::zeros(transform.in_shape, transform.in_dtype) : Array::empty(transform.in_shape, transform.in_dtype);
  } else if (fills) {
    copy.fill(0);
  }
  detail::copy_host(*part.rep(), *cut_to(copy, part.shape()).rep());
  return copy;
}

/// The axis whose transforms lie together in the result goes first where there is a factor: its rows are multiplied in the
/// cache.
std::vector<Axis> inner_axis_last(const Transform& transform, const Array& target) {
  std::vector<Axis> axes = transform.axes;
  if (transform.kind == FftKind::complex) {
    std::sort(axes.begin(), axes.end(), [&](const Axis& a, const Axis& b) {
      return std::abs(target.strides()[a.at]) > std::abs(target.strides()[b.at]);
    });
  }
  return axes;
}

void transform_forward(const Transform& transform, const Array& source, const Array& target, const Device& device) {
  const bool apart = transform.factor != 1 && transform.axes.size() > 1 && target.nbytes() > kBlockBytes;
  if (!apart) {
    const Job job = job_of(transform, transform.kind, transform.axes, source, target, device);
    return execute_multiplied(job, transform.factor, device);
  }
  const std::vector<Axis> axes = inner_axis_last(transform, target);
  const std::span<const Axis> all_axes = axes;
  execute_multiplied(job_of(transform, transform.kind, all_axes.last(1), source, target, device), transform.factor, device);
  execute(job_of(transform, FftKind::complex, all_axes.first(axes.size() - 1), target, target, device), 1, device);
}

/// Along the last axis last. FFTW overwrites what it reads where there are several, and would read a copy.
void transform_to_real(const Transform& transform, Array source, const Array& target, bool keeps_input, const Device& device) {
  const std::span<const Axis> axes = transform.axes;
  if (axes.size() > 1) {
    const Array half = keeps_input ? Array::empty(transform.in_shape, transform.in_dtype) : source;
    execute(job_of(transform, FftKind::complex, axes.first(axes.size() - 1), source, half, device), 1, device);
    source = half;
    keeps_input = false;
  }
  Job job = job_of(transform, FftKind::complex_to_real, axes.last(1), source, target, device);
  job.problem.keeps_input = keeps_input;
  execute_multiplied(job, transform.factor, device);
}

}  // namespace

void run_on_cpu(const Transform& transform, const Array& a, const Array& out, const Device& device) {
  if (out.size() == 0) return;
  const bool direct = out.dtype() == transform.out_dtype && has_whole_strides(out) && !runs_backwards(transform, out);
  const Array target = direct ? out : Array::empty(transform.out_shape, transform.out_dtype);
  const Source from = source_of(transform, a, target);
  const Array source = from == Source::as_it_is ? cut_to(a, transform.in_shape)
                                                : copied(transform, a, from == Source::in_result ? target : Array());
  const bool together = target.is_c_contiguous() || target.is_f_contiguous();
  if (from != Source::as_it_is || !direct || (transform.factor != 1 && !together)) Remembered::forget();
  if (transform.kind == FftKind::complex_to_real) {
    transform_to_real(transform, source, target, from == Source::as_it_is, device);
  } else {
    transform_forward(transform, source, target, device);
  }
  if (!direct) detail::copy_host(*target.rep(), *out.rep());
  detail::MappedFile::check(*a.rep());
  detail::MappedFile::check(*out.rep());
}

}  // namespace kiln::fft

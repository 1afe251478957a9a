// Launches of Ufunc::at on a GPU: kernels-src/scatter/gpu.hpp is the other side.
#include <algorithm>
#include <string>
#include <vector>

#include "base/ceil_div.hpp"
#include "device/kernel_abi.hpp"
#include "device/scratch.hpp"
#include "kernel/counter.hpp"
#include "kernel/grid.hpp"
#include "kernel/scatter/launch.hpp"
#include "kernel/scatter/layout.hpp"
#include "kernel/space.hpp"
#include "kernels-src/scatter/abi.hpp"
#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::kinds {
namespace {

static_assert(sizeof(ScatterCall) + sizeof(ScatterAnyShape) < 4096, "the parameters of a kernel");
static_assert(std::size(ScatterCall{}.index) == kMaxScatterIndices);

using base::ceil_div;

/// The word in which the first kernel leaves word of an index out of range, on its way to the host. The second kernel reads it,
/// too, so that neither waits for the host.
class RangeCheck {
 public:
  RangeCheck(Backend& backend, bool wanted, Queue* queue)
      : backend_(backend), queue_(queue), word_(backend, wanted ? sizeof(std::uint32_t) : 0, queue) {
    if (!wanted) return;
    const std::uint32_t none = 0;
    backend.upload(word_.address(), &none, sizeof none, queue);
  }

  /// Null where no check is wanted.
  [[nodiscard]] std::uint32_t* word() const noexcept { return static_cast<std::uint32_t*>(word_.address()); }
  /// What is queued from now on changes nothing of it.
  void read() {
    here_ = {backend_.allocate_pinned(sizeof(std::uint32_t)),
             [&backend = backend_](void* freed) noexcept { backend.deallocate_pinned(freed, sizeof(std::uint32_t)); }};
    backend_.download_queued(here_.get(), word_.address(), sizeof(std::uint32_t), queue_, here_);
    there_ = backend_.make_event();
    there_->record(queue_);
  }
  /// After read(): waits for it.
  [[nodiscard]] bool failed() const {
    there_->synchronize();
    return *static_cast<const std::uint32_t*>(here_.get()) != 0;
  }

 private:
  Backend& backend_;
  Queue* queue_;
  Scratch word_;
  std::shared_ptr<void> here_;
  std::shared_ptr<Event> there_;
};

ScatterCall call_of(const ScatterLaunch& launch) {
  ScatterCall call{};
  call.target = launch.target;
  // Of a function of one input nothing is read from it.
  call.value = launch.value != nullptr ? launch.value : launch.target;
  call.order = launch.order;
  call.starts = launch.starts;
  call.positions = static_cast<std::uint64_t>(product(launch.shape));
  call.row = static_cast<std::uint64_t>(product(launch.row_shape));
  call.work = launch.order != nullptr ? static_cast<std::uint64_t>(launch.targets) * call.row : call.positions * call.row;
  for (std::size_t i = 0; i < launch.indices.size(); ++i) {
    const ScatterIndex& from = launch.indices[i];
    call.index[i] = {.data = from.data, .extent = from.extent, .stride = from.stride};
  }
  return call;
}

ScatterAnyShape any_shape_of(const ScatterLaunch& launch) {
  const std::size_t rank = launch.shape.size();
  ScatterAnyShape shape{};
  shape.rank = static_cast<std::int32_t>(rank);
  shape.row_rank = static_cast<std::int32_t>(launch.row_shape.size());
  shape.indices = static_cast<std::int32_t>(launch.indices.size());
  std::copy(launch.shape.begin(), launch.shape.end(), shape.positions);
  std::copy(launch.row_shape.begin(), launch.row_shape.end(), shape.row);
  std::copy(launch.target_strides.begin(), launch.target_strides.end(), shape.target_strides);
  std::copy(launch.value_strides.begin(), launch.value_strides.end(), shape.value_strides);
  for (std::size_t i = 0; i < launch.indices.size(); ++i) {
    const ScatterIndex& from = launch.indices[i];
    std::copy(from.strides.begin(), from.strides.end(), shape.index_strides[i]);
    shape.index_size[i] = static_cast<std::int32_t>(itemsize(from.dtype));
    shape.index_is_signed[i] = is_signed(from.dtype) ? 1 : 0;
  }
  return shape;
}

std::vector<std::byte> shape_bytes_of(const ScatterLaunch& launch) {
  const std::size_t rank = launch.shape.size();
  std::vector<std::int64_t> extents = launch.shape;
  if (launch.layout.row_rank > 0) extents.insert(extents.end(), launch.row_shape.begin(), launch.row_shape.end());
  const std::size_t indices = launch.indices.size();
  return space_of({.extents = extents,
                   .operands = indices + 2,
                   .wide_index = launch.layout.wide_index,
                   .rank = static_cast<int>(extents.size()),
                   .stride = [&](std::size_t k, std::size_t d) {
                     if (k < indices) return d < rank ? launch.indices[k].strides[d] : std::int64_t{0};
                     if (k == indices) return d < rank ? std::int64_t{0} : launch.target_strides[d - rank];
                     return launch.value != nullptr ? launch.value_strides[d] : std::int64_t{0};
                   }});
}

/// The kernel's first pass where there is one, then the second.
void run_passes(Backend& backend, const Module& module, const ScatterLaunch& launch, const LaunchContext& context) {
  const bool any = launch.layout.any();
  ScatterCall call = call_of(launch);
  ScatterAnyShape any_shape{};
  std::vector<std::byte> shape;
  if (any) {
    any_shape = any_shape_of(launch);
  } else {
    shape = shape_bytes_of(launch);
  }
  void* parameters[] = {&call, any ? static_cast<void*>(&any_shape) : shape.data()};
  const std::int64_t unroll = any || launch.order != nullptr ? 1 : kScatterUnroll;
  const auto work = static_cast<std::int64_t>(call.work);
  const auto run = [&](std::int32_t pass, const LaunchShape& grid) {
    call.pass = pass;
    backend.dispatch(module, grid, parameters, context.queue, context.keep);
  };
  const auto grid_of = [&](std::int64_t threads) { return strided_shape(backend, module, threads); };

  RangeCheck check(backend, launch.out_of_range != nullptr, context.queue);
  call.bad = check.word();
  std::size_t copied = 0;
  if (launch.layout.bins) {
    const ScatterWindow window = window_of(launch);
    const std::int64_t bins = window.bytes / launch.itemsize;
    const std::int64_t most = std::int64_t{backend.info().multiprocessors} * module.occupancy(kGpuBlock);
    const std::int64_t blocks =
        std::clamp<std::int64_t>(std::min(ceil_div(work, kGpuBlock * unroll), work / (kChangesOfCopy * bins)), 1, most);
    call.origin = window.origin;
    call.bins = static_cast<std::uint32_t>(bins);
    call.blocks = static_cast<std::uint32_t>(blocks);
    copied = static_cast<std::size_t>(blocks * bins * launch.itemsize);
  }
  const Scratch copies(backend, copied, context.queue);
  call.copies = copies.address();
  if (launch.layout.bins) {
    run(0, {.grid = {call.blocks, 1, 1}, .block = {kGpuBlock, 1, 1}, .shared_bytes = (call.bins + 1) * launch.itemsize});
  } else if (launch.out_of_range != nullptr) {
    run(0, grid_of(ceil_div(static_cast<std::int64_t>(call.positions), unroll)));
  }
  if (launch.out_of_range != nullptr) check.read();
  run(1, grid_of(launch.layout.bins ? std::int64_t{call.bins} * ceil_div(std::int64_t{call.blocks}, kScatterCopiesEach)
                                    : ceil_div(work, unroll)));
  if (launch.out_of_range == nullptr) return;
  if (context.stop != nullptr) context.stop->wait(backend, context.queue, context.keep);
  *launch.out_of_range = check.failed();
}

}  // namespace

void launch_on_gpu(Backend& backend, const Module& module, const ScatterLaunch& launch, const LaunchContext& context) {
  const std::size_t rank = launch.shape.size();
  if (launch.row_shape.size() > std::size_t{kMaxKernelRank}) {
    // The elements of rows are different ones.
    ScatterLaunch part = launch;
    const std::size_t outer = launch.row_shape.size() - std::size_t{kMaxKernelRank};
    const auto drop = [outer](std::vector<std::int64_t>& list, std::size_t from) {
      const auto first = list.begin() + static_cast<std::ptrdiff_t>(from);
      list.erase(first, first + static_cast<std::ptrdiff_t>(outer));
    };
    drop(part.row_shape, 0);
    drop(part.target_strides, 0);
    if (launch.value != nullptr) drop(part.value_strides, rank);
    for_each_outer(Numbers(launch.row_shape).first(outer), [&](const Counter& index) {
      part.target = static_cast<char*>(launch.target) + index.offset(launch.target_strides);
      if (launch.value != nullptr) {
        part.value = static_cast<const char*>(launch.value) + index.offset(Numbers(launch.value_strides).subspan(rank));
      }
      if (launch.out_of_range != nullptr && *launch.out_of_range) return;
      launch_on_gpu(backend, module, part, context);
      part.out_of_range = nullptr;  // the indices of all parts are the same
    });
    return;
  }
  if (rank > std::size_t{kMaxKernelRank} || launch.indices.size() > kMaxScatterIndices) {
    throw DeviceError("cannot launch a kernel with " + std::to_string(launch.indices.size()) + " index arrays of " +
                      std::to_string(rank) + " dimensions");
  }
  run_passes(backend, module, launch, context);
}

// Its indices were looked at when it was called, and may be others at the next run.
std::shared_ptr<const RecordedLaunch> record(Backend& /*backend*/, const Module& /*module*/, const ScatterLaunch& /*launch*/) {
  throw Because<DeviceError>(Reason::capture, "Ufunc::at cannot be captured: it looks at its indices when it is called");
}

}  // namespace kiln::kinds

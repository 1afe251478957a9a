// Launches of Ufunc::at on a GPU: kernels-src/scatter/gpu.hpp is the other side.
#include <string>

#include "backend/kernel_abi.hpp"
#include "kernels-src/scatter/abi.hpp"
#include "kiln/error.hpp"
#include "kinds/counter.hpp"
#include "kinds/grid.hpp"
#include "kinds/scatter/launch.hpp"

namespace kiln::kinds {
namespace {

static_assert(sizeof(ScatterSpace) < 4096, "the parameters of a kernel");

}  // namespace

void launch_on_gpu(Backend& backend, const Module& module, const ScatterLaunch& launch, Queue* queue,
                   const std::shared_ptr<const void>& keep) {
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
      launch_on_gpu(backend, module, part, queue, keep);
    });
    return;
  }
  if (rank > std::size_t{kMaxKernelRank} || launch.indices.size() > kMaxScatterIndices) {
    throw DeviceError("cannot launch a kernel with " + std::to_string(launch.indices.size()) + " index arrays of " +
                      std::to_string(rank) + " dimensions");
  }
  ScatterSpace space{};
  space.target = launch.target;
  // Of a function of one input nothing is read from it.
  space.value = launch.value != nullptr ? launch.value : launch.target;
  space.order = launch.order;
  space.starts = launch.starts;
  space.bad = launch.first_bad;
  space.pass = launch.first_bad != nullptr ? 0 : 1;
  space.rank = static_cast<std::int32_t>(rank);
  space.row_rank = static_cast<std::int32_t>(launch.row_shape.size());
  space.indices = static_cast<std::int32_t>(launch.indices.size());
  space.positions = space.row = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    space.shape[d] = launch.shape[d];
    space.positions *= launch.shape[d];
  }
  for (std::size_t d = 0; d < launch.row_shape.size(); ++d) {
    space.row_shape[d] = launch.row_shape[d];
    space.target_strides[d] = launch.target_strides[d];
    space.row *= launch.row_shape[d];
  }
  for (std::size_t d = 0; d < launch.value_strides.size(); ++d) space.value_strides[d] = launch.value_strides[d];
  for (std::size_t i = 0; i < launch.indices.size(); ++i) {
    const ScatterIndex& from = launch.indices[i];
    ScatterSpace::Index& to = space.index[i];
    to = {.data = from.data,
          .extent = from.extent,
          .stride = from.stride,
          .strides = {},
          .size = static_cast<std::int32_t>(itemsize(from.dtype)),
          .is_signed = is_signed(from.dtype) ? 1 : 0};
    for (std::size_t d = 0; d < rank; ++d) to.strides[d] = from.strides[d];
  }
  space.work = (launch.order != nullptr ? launch.targets : space.positions) * space.row;
  const std::int64_t threads = space.pass == 0 ? space.positions : space.work;
  void* parameters[] = {&space};
  backend.dispatch(module, strided_shape(backend, module, threads), parameters, queue, keep);
}

// Its indices were looked at when it was called, and may be others at the next run.
std::shared_ptr<const RecordedLaunch> record(Backend& /*backend*/, const Module& /*module*/, const ScatterLaunch& /*launch*/) {
  throw DeviceError("Ufunc::at cannot be captured: it looks at its indices when it is called");
}

}  // namespace kiln::kinds

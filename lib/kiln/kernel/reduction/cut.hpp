// How a reduction on the CPU is cut: tiles of outputs, and leaves, the parts of what is reduced whose states are combined in
// pairs. Pure. The tree over the leaves, and so the result, follows from shapes and strides alone: chunks for threads are 2ⁿ
// leaves, which does not change it.
#pragma once

#include <cstdint>

#include "device/kernel_abi.hpp"
#include "kernel/reduction/launch.hpp"
#include "kernels-src/reduction/abi.hpp"

namespace kiln::kinds {

struct ReductionCut {
  enum class Form : std::uint8_t {
    fold,    ///< an output at a time: consecutive elements
    rows,    ///< adjacent outputs, kCpuReduceRows elements of each in a leaf
    narrow,  ///< as rows, with `unrolled` rows adjacent as if they were one; of a balanced kernel each output's elements are
             ///< brought together, and folded
  };
  Form form = Form::fold;
  bool by_runs = false;       ///< fold: no leaf goes over the end of an innermost reduced row
  bool gathers = false;       ///< leaves of some operand may have to be gathered
  std::int64_t unrolled = 1;  ///< narrow
  std::int64_t width = 1;     ///< outputs of a tile, all in one innermost kept row
  std::int64_t per_row = 1;   ///< tiles of an innermost kept row
  std::int64_t tiles = 1;
  std::int64_t leaf = 1;    ///< fold: elements; else rows
  std::int64_t leaves = 1;  ///< of each output
};

[[nodiscard]] ReductionCut cut_reduction(const CpuReduction& kernel, const ReductionLaunch& launch) noexcept;

/// Tasks for threads: `batch` tiles each, or parts of one tile: `chunk` leaves each.
struct ReductionTasks {
  std::int64_t batch = 1;
  std::int64_t chunk = 1;
  std::int64_t chunks = 1;  ///< of a tile
  std::int64_t count = 1;
};
[[nodiscard]] ReductionTasks share_reduction(const ReductionCut& cut, bool ordered, double work_ns, int threads) noexcept;

}  // namespace kiln::kinds

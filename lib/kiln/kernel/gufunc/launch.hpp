// One launch of a generalized ufunc's kernel, for any device. A copy of it may be queued.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/kernel_abi.hpp"
#include "kernel/launch.hpp"

namespace kiln::kinds {

struct StagedNumbers {
  std::int64_t items = 0;  ///< of a block; 0: no cores are copied
  int threads = 0;         ///< of a block; 0: kGpuBlock
  std::int64_t bytes = 0;  ///< of a block's shared memory
  /// Of each operand, by how many bytes its cores may be copied if its address is a multiple of them; 0: by elements.
  std::vector<int> words = {};
};

/// What launches on arrays of one layout have in common. Strides are bytes of any sign.
struct GufuncNumbers {
  std::vector<std::int64_t> shape = {1};        ///< of the loop, merged, outermost first; never empty, all > 0
  std::vector<std::int64_t> strides = {};       ///< [operand][dimension of the loop]
  std::int64_t items = 1;                       ///< product of shape
  std::vector<std::int64_t> sizes = {};         ///< of the core dimensions
  std::vector<std::int64_t> core_strides = {};  ///< of each operand's core dimensions, one operand behind the other
  std::vector<std::int64_t> each = {};          ///< extents that are spread over threads, > 0; the last moves fastest
  std::int64_t grain = 1;                       ///< CPU: items that one thread computes at least, where as many are left
  int loop_rank = 1;                            ///< of the kernel (GPU): at least as many as `shape` has
  int team = 0;                                 ///< threads that share an item; 0: each has its own
  int teams = 1;                                ///< of a block (GPU)
  bool wide_index = false;                      ///< 64-bit index arithmetic (GPU)
  StagedNumbers staged = {};                    ///< of kernels that copy cores to shared memory (GPU)
};

struct GufuncLaunch {
  struct Operand {
    void* data;   ///< device address; none of a scalar
    bool scalar;  ///< `value` is what the kernel gets
    alignas(16) std::array<std::byte, 16> value;
  };
  std::shared_ptr<const GufuncNumbers> numbers;
  std::size_t count = 0;                       ///< of operands
  bool keeps = false;                          ///< outputs hold what a body may leave as it is
  std::array<Operand, kMaxOperands> operands;  ///< inputs, the mask if there is one, outputs

  [[nodiscard]] std::span<const Operand> all() const noexcept { return {operands.data(), count}; }
};

void launch_on_cpu(Backend& backend, const Module& module, const GufuncLaunch& launch, const LaunchContext& context);
void launch_on_gpu(Backend& backend, const Module& module, const GufuncLaunch& launch, const LaunchContext& context);
/// As it is in a capture (kernel/record.hpp).
[[nodiscard]] std::shared_ptr<const RecordedLaunch> record(Backend& backend, const Module& module, const GufuncLaunch& launch);

}  // namespace kiln::kinds

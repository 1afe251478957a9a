// One launch of an elementwise kernel, for any device. Refers to the caller's numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernel/elementwise/walk.hpp"
#include "kernel/launch.hpp"
#include "kernel/operand.hpp"

namespace kiln::kinds {

/// A raw operand of a launch that finds races.
struct RawOperand {
  std::uint8_t operand = 0;   ///< of the launch's
  std::uint8_t argument = 0;  ///< of the body's, inputs before outputs
  std::uint8_t rank = 0;
};

/// One elementwise launch. The kernel was rendered from a spec (spec.hpp) with the same operands, rank and width.
struct ElementwiseLaunch {
  std::span<const LaunchOperand> operands;
  std::span<const std::int64_t> shape;  ///< merged extents, outermost first; never empty, all > 0
  std::int64_t size = 0;                ///< product of shape
  /// Of its spec, if that has more than there are extents: dimensions of one element are added in front.
  int rank = 1;
  std::span<const RawOperand> raw = {};  ///< if it finds races (CPU): their axes are the last operand, one after the other
  bool nested = false;                   ///< its kernel takes strides where these operands need none (GPU)
  Walk walk = Walk::packs;               ///< of its spec (GPU)
  /// Of its spec (GPU). Of packs it divides the innermost extent, unless that is the only one.
  int width = 1;
  int unroll = 1;           ///< accesses in flight per thread (GPU)
  int block = 0;            ///< threads of a block, where that was measured (GPU); 0: by the cost model
  int tile = 0;             ///< side of the tiles that its kernel goes by (GPU); 0: none
  int tile_dimension = 0;   ///< of the shape: that of the tiles which is not the innermost
  bool wide_index = false;  ///< 64-bit index arithmetic (GPU)
  bool past_cache = false;  ///< outputs, on lines of the cache, are stored past it (CPU); counts where the kernel is flat
};

void launch_on_cpu(Backend& backend, const Module& module, const ElementwiseLaunch& launch, const LaunchContext& context);
void launch_on_gpu(Backend& backend, const Module& module, const ElementwiseLaunch& launch, const LaunchContext& context);
/// How many blocks of how many threads it gets on a GPU.
[[nodiscard]] LaunchShape shape_on_gpu(const Backend& backend, const Module& module, const ElementwiseLaunch& launch);
/// As it is in a capture (kernel/record.hpp).
[[nodiscard]] std::shared_ptr<const RecordedLaunch> record(Backend& backend, const Module& module,
                                                           const ElementwiseLaunch& launch);

}  // namespace kiln::kinds

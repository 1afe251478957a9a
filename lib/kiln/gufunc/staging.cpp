#include "gufunc/staging.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "device/kernel_abi.hpp"
#include "gufunc/tuning.hpp"
#include "kernel/gufunc/staged.hpp"
#include "kernel/space.hpp"

namespace kiln::gufunc {
namespace {

using kinds::CoreOperandSpec;
using kinds::GufuncSpec;
using kinds::Staging;

std::int64_t most_bytes_on(DeviceKind device) {
  return device == DeviceKind::cuda ? kinds::kStagedBytes : tuning::kStagedBytesOfAmd;
}

class Chooser {
 public:
  Chooser(GufuncSpec& spec, const StagingRequest& request) : spec_(spec), request_(request) {}

  void choose() {
    if (request_.items > kinds::kMaxNarrowIndex) return;
    spec_.each.empty() ? for_items() : for_indices();
  }

 private:
  template <class Visit>
  void each_operand(const Visit& visit) {
    std::size_t k = 0;
    for (auto* operands : {&spec_.inputs, &spec_.outputs}) {
      for (CoreOperandSpec& operand : *operands) visit(operand, request_.placements[k++], operands == &spec_.outputs);
    }
  }

  [[nodiscard]] std::int64_t most_bytes() const { return most_bytes_on(request_.device); }
  [[nodiscard]] static bool has_core(const CoreOperandSpec& operand, const CorePlacement& at) {
    return operand.element.access != kinds::Access::scalar && !operand.dimensions.empty() && at.dense &&
           std::abs(at.step) <= tuning::kFarthestStagedItem;
  }
  /// Copies the operand's cores. What is too large to be counted is found not to fit.
  void stage(CoreOperandSpec& operand, Staging staging) {
    const std::int64_t bytes = kinds::core_bytes_of(operand, request_.sizes);
    fits_ = fits_ && bytes <= most_bytes();
    bytes_ += bytes;
    if (bytes > 0) operand.staging = staging;
  }
  /// The spec as it was, unless there is room for so many items. Returns whether there is.
  bool keep_if_fits(GufuncSpec& before, std::int64_t items) {
    const bool fits = fits_ && kinds::staged_bytes_of(spec_, request_.sizes).of(items) <= most_bytes();
    if (!fits) std::swap(before, spec_);
    return fits;
  }
  void stage_items(bool outputs) {
    bytes_ = 0;
    fits_ = true;
    each_operand([&](CoreOperandSpec& operand, const CorePlacement& at, bool output) {
      if (has_core(operand, at) && std::abs(at.step) >= tuning::kSector && (outputs || !output)) stage(operand, Staging::item);
    });
  }

  /// Inputs by windows; false where none can be.
  bool open_windows() {
    int windows = 0;
    each_operand([&](CoreOperandSpec& operand, const CorePlacement& at, bool output) {
      const auto size = static_cast<std::int64_t>(itemsize(operand.element.storage));
      if (output || windows == tuning::kMostWindows || operand.dimensions.size() != 1 || !operand.packed) return;
      const std::int64_t bytes = kinds::core_bytes_of(operand, request_.sizes);
      if (!has_core(operand, at) || std::abs(at.step) < tuning::kSector || (size != 4 && size != 8)) return;
      if (bytes < tuning::kFewestBytesOfWindows || bytes / size > kinds::kMaxNarrowIndex) return;
      operand.staging = Staging::window;
      ++windows;
    });
    return windows > 0;
  }

  /// Threads have items: those of a warp, or fewer of long cores.
  void for_items() {
    const bool warps = request_.columns >= tuning::kFewestStagedItems;
    GufuncSpec before = spec_;
    if (warps) {
      // Of items that a mask leaves out nothing is written.
      stage_items(!spec_.masked);
      if (keep_if_fits(before, tuning::kFewestStagedItems)) return;
    }
    if (request_.items >= tuning::kFewestItemsOfWindows && !request_.references && open_windows()) return;
    before = spec_;
    // A thread waits for what it reads, not for what it writes: without outputs more items have room.
    stage_items(false);
    const bool few = fits_ && bytes_ * request_.items <= tuning::kMostBytesOfFewItems;
    fits_ = fits_ && (warps || bytes_ * tuning::kFewestStagedItems > most_bytes());
    keep_if_fits(before, few ? 1 : tuning::kFewestLongItems);
  }

  /// The threads of a block have indices of .each.
  void for_indices() {
    const auto small = [](std::int64_t size) { return size > 0 && size <= tuning::kSmallStagedCore; };
    if (!request_.constants || !std::ranges::all_of(request_.sizes, small) || request_.items < tuning::kFewestStagedBlocks) {
      return;
    }
    GufuncSpec before = spec_;
    each_operand([&](CoreOperandSpec& operand, const CorePlacement& at, bool output) {
      if (output || !has_core(operand, at) || !is_shared(operand)) return;
      stage(operand, at.step == 0 ? Staging::common : Staging::item);
    });
    for (std::size_t d = 0; d < request_.sizes.size(); ++d) spec_.dimensions[d].size = request_.sizes[d];
    fits_ = fits_ && bytes_ >= tuning::kFewestStagedBytes;
    keep_if_fits(before, 1);
  }

  /// Whether indices read the same elements, those of a warp the same one or neighbours.
  [[nodiscard]] bool is_shared(const CoreOperandSpec& operand) const {
    const auto has = [&](std::size_t dimension) {
      return std::ranges::find(operand.dimensions, dimension) != operand.dimensions.end();
    };
    const bool every = std::ranges::all_of(spec_.each, [&](const kinds::EachSpec& each) { return has(each.dimension); });
    const std::size_t last = spec_.each.back().dimension;
    const bool beside = operand.unit >= 0 && operand.dimensions[static_cast<std::size_t>(operand.unit)] == last;
    return !every && (!has(last) || beside);
  }

  GufuncSpec& spec_;
  const StagingRequest& request_;
  std::int64_t bytes_ = 0;  // of all cores that are copied
  bool fits_ = true;        // as far as each core tells
};

}  // namespace

void choose_staging(GufuncSpec& spec, const StagingRequest& request) {
  Chooser(spec, request).choose();
}

StagedBlock staged_block(const GufuncSpec& spec, const StagingRequest& request) {
  const kinds::StagedBytes bytes = kinds::staged_bytes_of(spec, request.sizes);
  const bool of_items = spec.each.empty();
  const bool warps = of_items && bytes.of(tuning::kFewestStagedItems) <= most_bytes_on(request.device);
  const std::int64_t unit = warps ? tuning::kFewestStagedItems : 1;
  const std::int64_t most = warps      ? tuning::kMostStagedItems
                            : of_items ? std::min(request.columns, tuning::kFewestStagedItems)
                                       : tuning::kMostStagedItemsOfEach;
  const std::int64_t usual = of_items && !warps ? tuning::kUsualBytesOfLongItems : tuning::kUsualStagedBytes;
  StagedBlock block{.items = std::clamp(usual / std::max<std::int64_t>(bytes.item, 1) / unit * unit, unit, most)};
  while (block.items > unit && request.items / block.items < tuning::kEnoughStagedBlocks) block.items -= unit;
  block.bytes = bytes.of(block.items);
  block.threads = of_items ? tuning::kStagedThreads : backend::kGpuBlock;
  return block;
}

}  // namespace kiln::gufunc

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

  [[nodiscard]] std::int64_t most_bytes() const {
    return request_.device == DeviceKind::cuda ? kinds::kStagedBytes : tuning::kStagedBytesOfAmd;
  }
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
  /// The spec as it was, unless there is room for so many items.
  void keep_if_fits(GufuncSpec& before, std::int64_t items) {
    if (!fits_ || kinds::staged_bytes_of(spec_, request_.sizes).of(items) > most_bytes()) std::swap(before, spec_);
  }

  /// The threads of a warp have items.
  void for_items() {
    if (request_.columns < tuning::kFewestStagedItems) return;
    GufuncSpec before = spec_;
    each_operand([&](CoreOperandSpec& operand, const CorePlacement& at, bool output) {
      // Of items that a mask leaves out nothing is written.
      if (!has_core(operand, at) || std::abs(at.step) < tuning::kSector || (output && spec_.masked)) return;
      stage(operand, Staging::item);
    });
    keep_if_fits(before, tuning::kFewestStagedItems);
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

StagedBlock staged_block(const GufuncSpec& spec, std::span<const std::int64_t> sizes, std::int64_t items) {
  const kinds::StagedBytes bytes = kinds::staged_bytes_of(spec, sizes);
  const bool of_items = spec.each.empty();
  // Whole warps where threads have items.
  const std::int64_t unit = of_items ? tuning::kFewestStagedItems : 1;
  const std::int64_t most = of_items ? tuning::kMostStagedItems : tuning::kMostStagedItemsOfEach;
  StagedBlock block{
      .items = std::clamp(tuning::kUsualStagedBytes / std::max<std::int64_t>(bytes.item, 1) / unit * unit, unit, most)};
  while (block.items > unit && items / block.items < tuning::kEnoughStagedBlocks) block.items -= unit;
  block.bytes = bytes.of(block.items);
  block.threads = of_items ? tuning::kStagedThreads : backend::kGpuBlock;
  return block;
}

}  // namespace kiln::gufunc

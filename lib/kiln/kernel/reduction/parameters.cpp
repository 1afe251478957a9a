#include "kernel/reduction/parameters.hpp"

#include <cstring>
#include <span>
#include <string>

#include "kernel/space.hpp"
#include "kiln/error.hpp"

namespace kiln::kinds {
namespace {

/// `skip` strides of each operand stand before these dimensions'.
std::vector<std::byte> part_of(const ReductionLaunch& launch, std::span<const std::int64_t> extents, int rank, std::size_t skip,
                               int width) {
  return space_of({.extents = extents,
                   .operands = launch.operands.size(),
                   .wide_index = launch.wide_index,
                   .rank = rank,
                   .width = width,
                   .stride = [&](std::size_t k, std::size_t d) {
                     return launch.operands[k].scalar ? std::int64_t{0} : launch.operands[k].strides[skip + d];
                   }});
}

}  // namespace

ReductionParameters::ReductionParameters(const ReductionLaunch& launch, void* call) : operands_(launch.operands.size()) {
  if (launch.operands.size() > std::size_t{kMaxOperands}) {
    throw DeviceError("cannot launch a reduction of " + std::to_string(launch.operands.size()) + " operands: at most " +
                      std::to_string(kMaxOperands));
  }
  constexpr std::int64_t kNarrow = std::int64_t{1} << 31;
  if (!launch.wide_index && (launch.outputs >= kNarrow || launch.count >= kNarrow)) {
    throw DeviceError("cannot launch a reduction with 32-bit indices over " + std::to_string(launch.outputs) + " times " +
                      std::to_string(launch.count) + " elements");
  }
  kept_ = part_of(launch, launch.kept, launch.kept_rank, 0, 1);
  reduced_ = part_of(launch, launch.reduced, launch.reduced_rank, launch.kept.size(), launch.pack());
  std::size_t count = 0;
  pointers_[count++] = kept_.data();
  pointers_[count++] = reduced_.data();
  pointers_[count++] = call;
  for (std::size_t i = 0; i < launch.operands.size(); ++i) {
    const LaunchOperand& operand = launch.operands[i];
    // What the kernel gets of the index is the first element's number.
    const bool index = static_cast<int>(i) == launch.index;
    addresses_[i] = index ? reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(operand.data) - kIndexOrigin)  // NOLINT
                          : operand.data;
    pointers_[count++] = operand.scalar ? operand.data : static_cast<void*>(&addresses_[i]);
  }
}

ReductionParameters::ReductionParameters(const ReductionLaunch& launch, const ReductionParts& parts)
    : ReductionParameters(launch, &call_) {
  call_ = {.outputs = static_cast<std::uint64_t>(launch.outputs),
           .count = static_cast<std::uint64_t>(launch.count / launch.pack()),
           .chunk = static_cast<std::uint64_t>(parts.chunk),
           .parts = static_cast<std::uint64_t>(parts.count)};
  call_.lane_bits = parts.lane_bits;
  if (launch.initial != nullptr) {
    call_.has_initial = 1;
    std::memcpy(call_.initial.data(), launch.initial, call_.initial.size());
  }
}

ReductionParameters::ReductionParameters(const ReductionLaunch& launch, const SegmentCall& call)
    : ReductionParameters(launch, &segment_call_) {
  segment_call_ = call;
}

}  // namespace kiln::kinds

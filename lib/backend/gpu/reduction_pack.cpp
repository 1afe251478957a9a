#include "backend/gpu/reduction_pack.hpp"

#include <cstring>
#include <span>
#include <string>

#include "backend/gpu/divisor.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {
namespace {

/// space<Index, D, N> of elementwise_gpu_nd.hpp: `skip` strides of each operand stand before these dimensions'.
std::vector<std::byte> space_of(const ReductionLaunch& launch, std::span<const std::int64_t> extents, std::size_t skip,
                                int width) {
  std::vector<std::byte> space;
  const auto put = [&space](auto value) {
    const std::size_t at = space.size();
    space.resize(at + sizeof(value));
    std::memcpy(space.data() + at, &value, sizeof(value));
  };
  const std::size_t rank = extents.empty() ? 1 : extents.size();
  const auto extent = [&](std::size_t d) {
    if (extents.empty()) return std::int64_t{1};
    return d + 1 == rank ? extents[d] / width : extents[d];
  };
  if (launch.wide_index) {
    for (std::size_t d = 0; d < rank; ++d) put(static_cast<std::uint64_t>(extent(d)));
  } else {
    // Nothing is divided by an extent of 0, and there is no magic number for it.
    const auto divisor = [&](std::size_t d) { return divisor_of(extent(d) == 0 ? 1U : static_cast<std::uint32_t>(extent(d))); };
    for (std::size_t d = 0; d < rank; ++d) put(static_cast<std::uint32_t>(extent(d)));
    for (std::size_t d = 0; d < rank; ++d) put(divisor(d).magic);
    for (std::size_t d = 0; d < rank; ++d) put(divisor(d).shift);
    if (rank % 2 != 0) put(std::uint32_t{0});  // the strides are 8-byte aligned
  }
  for (const LaunchOperand& operand : launch.operands) {
    for (std::size_t d = 0; d < rank; ++d) put(extents.empty() || operand.scalar ? std::int64_t{0} : operand.strides[skip + d]);
  }
  return space;
}

}  // namespace

ReductionParameters::ReductionParameters(const ReductionLaunch& launch, const ReductionParts& parts) {
  if (launch.operands.size() > std::size_t{kMaxOperands}) {
    throw DeviceError("cannot launch a reduction of " + std::to_string(launch.operands.size()) + " operands: at most " +
                      std::to_string(kMaxOperands));
  }
  constexpr std::int64_t kNarrow = std::int64_t{1} << 31;
  if (!launch.wide_index && (launch.outputs >= kNarrow || launch.count >= kNarrow)) {
    throw DeviceError("cannot launch a reduction with 32-bit indices over " + std::to_string(launch.outputs) + " times " +
                      std::to_string(launch.count) + " elements");
  }
  kept_ = space_of(launch, launch.kept, 0, 1);
  reduced_ = space_of(launch, launch.reduced, launch.kept.size(), launch.width);
  call_ = {.outputs = static_cast<std::uint64_t>(launch.outputs),
           .count = static_cast<std::uint64_t>(launch.count / launch.width),
           .chunk = static_cast<std::uint64_t>(parts.chunk),
           .parts = static_cast<std::uint64_t>(parts.count)};
  if (launch.initial != nullptr) {
    call_.has_initial = 1;
    std::memcpy(call_.initial.data(), launch.initial, call_.initial.size());
  }
  std::size_t count = 0;
  pointers_[count++] = kept_.data();
  pointers_[count++] = reduced_.data();
  pointers_[count++] = &call_;
  for (std::size_t i = 0; i < launch.operands.size(); ++i) {
    const LaunchOperand& operand = launch.operands[i];
    // What the kernel gets of the index is the first element's number.
    const bool index = static_cast<int>(i) == launch.index;
    addresses_[i] = index ? reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(operand.data) - kIndexOrigin)  // NOLINT
                          : operand.data;
    pointers_[count++] = operand.scalar ? operand.data : static_cast<void*>(&addresses_[i]);
  }
}

}  // namespace kiln::backend::gpu

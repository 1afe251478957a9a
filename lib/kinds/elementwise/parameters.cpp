// An elementwise launch as the parameters of the kernel.
#include "kinds/elementwise/parameters.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "kinds/divisor.hpp"

namespace kiln::kinds {
namespace {

void check_limits(const ElementwiseLaunch& launch) {
  const auto rank = std::max(launch.shape.size(), static_cast<std::size_t>(launch.rank));
  if (launch.operands.size() > std::size_t{kMaxOperands} || rank == 0 || rank > std::size_t{kMaxKernelRank}) {
    throw DeviceError("cannot launch a kernel of " + std::to_string(launch.operands.size()) + " operands over " +
                      std::to_string(rank) + " dimensions: at most " + std::to_string(kMaxOperands) + " operands and 1 to " +
                      std::to_string(kMaxKernelRank) + " dimensions");
  }
  if (!launch.wide_index && launch.size >= std::int64_t{1} << 31) {
    throw DeviceError("cannot launch a kernel with 32-bit indices over " + std::to_string(launch.size) + " elements");
  }
}

}  // namespace

bool Parameters::flat(const ElementwiseLaunch& launch) noexcept {
  if (launch.nested || launch.rank > 1 || launch.shape.size() != 1) return false;
  for (const LaunchOperand& operand : launch.operands) {
    if (!operand.scalar && operand.strides[0] != 0 && operand.strides[0] != operand.itemsize) return false;
  }
  return true;
}

Parameters::Parameters(const ElementwiseLaunch& launch) {
  check_limits(launch);
  const bool is_flat = flat(launch);
  packs_ = is_flat ? (launch.size + launch.width - 1) / launch.width : launch.size / launch.width;
  const std::int64_t n = is_flat ? launch.size : packs_;
  if (launch.wide_index) {
    elements_wide_ = static_cast<std::uint64_t>(n);
    pointers_[count_++] = &elements_wide_;
  } else {
    elements_ = static_cast<std::uint32_t>(n);
    pointers_[count_++] = &elements_;
  }
  if (!is_flat) {
    fill_space(launch);
    pointers_[count_++] = space_.data();
  }
  for (std::size_t i = 0; i < launch.operands.size(); ++i) {
    const LaunchOperand& operand = launch.operands[i];
    addresses_[i] = operand.data;
    // A scalar's parameter is the value itself, and `data` is where it lies.
    pointers_[count_++] = operand.scalar ? operand.data : static_cast<void*>(&addresses_[i]);
  }
}

void Parameters::fill_space(const ElementwiseLaunch& launch) noexcept {
  std::byte* to = space_.data();
  const auto put = [&to](auto value) {
    std::memcpy(to, &value, sizeof(value));
    to += sizeof(value);
  };
  const std::size_t rank = std::max(launch.shape.size(), static_cast<std::size_t>(launch.rank));
  const std::size_t added = rank - launch.shape.size();
  const auto extent = [&](std::size_t axis) {
    if (axis < added) return std::int64_t{1};
    return axis + 1 == rank ? launch.shape[axis - added] / launch.width : launch.shape[axis - added];
  };
  if (launch.wide_index) {
    for (std::size_t axis = 0; axis < rank; ++axis) put(static_cast<std::uint64_t>(extent(axis)));
  } else {
    std::array<Divisor, kMaxKernelRank> divisors;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const auto value = static_cast<std::uint32_t>(extent(axis));
      divisors[axis] = divisor_of(value);
      put(value);
    }
    for (std::size_t axis = 0; axis < rank; ++axis) put(divisors[axis].magic);
    for (std::size_t axis = 0; axis < rank; ++axis) put(divisors[axis].shift);
    if (rank % 2 != 0) put(std::uint32_t{0});  // the strides are 8-byte aligned
  }
  for (const LaunchOperand& operand : launch.operands) {
    for (std::size_t axis = 0; axis < rank; ++axis)
      put(operand.scalar || axis < added ? std::int64_t{0} : operand.strides[axis - added]);
  }
  space_bytes_ = static_cast<std::size_t>(to - space_.data());
}

}  // namespace kiln::kinds

// An elementwise launch as the parameters of the kernel.
#include "kernel/elementwise/parameters.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/ceil_div.hpp"
#include "device/kernel_abi.hpp"
#include "kernel/divisor.hpp"
#include "kernels-src/elementwise/abi.hpp"
#include "kiln/error.hpp"

namespace kiln::kinds {
namespace {

using base::ceil_div;

bool is_cut(const ElementwiseLaunch& launch, std::size_t axis) noexcept {
  return launch.tile > 0 && (axis + 1 == launch.shape.size() || axis == static_cast<std::size_t>(launch.tile_dimension));
}

/// As the kernel counts along the axis: elements, packs, strips or tiles.
std::int64_t count_along(const ElementwiseLaunch& launch, std::size_t axis) noexcept {
  if (is_cut(launch, axis)) return ceil_div(launch.shape[axis], launch.tile);
  if (launch.walk == Walk::strips && axis + 1 == launch.shape.size()) {
    return ceil_div(launch.shape[axis], kStripLanes * std::int64_t{launch.width});
  }
  return axis + 1 == launch.shape.size() ? launch.shape[axis] / launch.width : launch.shape[axis];
}

/// Whether packs that begin at that element are aligned, of every contiguous operand.
bool aligned_from(const ElementwiseLaunch& launch, std::int64_t element) noexcept {
  for (const LaunchOperand& operand : launch.operands) {
    if (operand.scalar || operand.strides[0] != operand.itemsize) continue;
    const std::uintptr_t address =
        reinterpret_cast<std::uintptr_t>(operand.data) + static_cast<std::uintptr_t>(element * operand.itemsize);
    if (address % pack_alignment(launch.width, operand.itemsize) != 0) return false;
  }
  return true;
}

/// Elements before the first pack.
std::int64_t head_of(const ElementwiseLaunch& launch) noexcept {
  std::int64_t head = 0;
  while (head < launch.width && !aligned_from(launch, head)) ++head;
  return std::min(head, launch.size);
}

std::int64_t count_units(const ElementwiseLaunch& launch) noexcept {
  std::int64_t units = 1;
  for (std::size_t axis = 0; axis < launch.shape.size(); ++axis) units *= count_along(launch, axis);
  return units;
}

void check_limits(const ElementwiseLaunch& launch) {
  const auto rank = std::max(launch.shape.size(), static_cast<std::size_t>(launch.rank));
  if (launch.operands.size() > std::size_t{kMaxOperands} || rank == 0 || rank > std::size_t{kMaxKernelRank}) {
    throw DeviceError("cannot launch a kernel of " + std::to_string(launch.operands.size()) + " operands over " +
                      std::to_string(rank) + " dimensions: at most " + std::to_string(kMaxOperands) + " operands and 1 to " +
                      std::to_string(kMaxKernelRank) + " dimensions");
  }
  if (!launch.wide_index && launch.tile == 0 && launch.size >= std::int64_t{1} << 31) {
    throw DeviceError("cannot launch a kernel with 32-bit indices over " + std::to_string(launch.size) + " elements");
  }
}

}  // namespace

bool Parameters::flat(const ElementwiseLaunch& launch) noexcept {
  if (launch.walk == Walk::strips || launch.nested || launch.rank > 1 || launch.shape.size() != 1) return false;
  for (const LaunchOperand& operand : launch.operands) {
    if (!operand.scalar && operand.strides[0] != 0 && operand.strides[0] != operand.itemsize) return false;
  }
  return true;
}

Parameters::Parameters(const ElementwiseLaunch& launch) {
  check_limits(launch);
  const bool is_flat = flat(launch);
  const bool strips = launch.walk == Walk::strips;
  packs_ = launch.tile > 0 || strips ? count_units(launch)
           : is_flat                 ? ceil_div(launch.size, launch.width)
                                     : launch.size / launch.width;
  add_number(is_flat ? launch.size : packs_, launch.wide_index, size_);
  if (strips) packs_ *= kStripLanes;
  if (launch.walk == Walk::peeled) add_number(head_of(launch), launch.wide_index, head_);
  if (!is_flat) {
    fill_space(launch);
    pointers_[count_++] = space_.data();
  }
  if (strips) add_number(launch.shape.back(), false, columns_);
  if (launch.tile > 0) {
    const auto rows = static_cast<std::size_t>(launch.tile_dimension);
    tiled_extents_ = {static_cast<std::uint32_t>(launch.shape[rows]), static_cast<std::uint32_t>(launch.shape.back())};
    for (std::uint32_t& extent : tiled_extents_) pointers_[count_++] = &extent;
  }
  for (std::size_t i = 0; i < launch.operands.size(); ++i) {
    const LaunchOperand& operand = launch.operands[i];
    addresses_[i] = operand.data;
    // A scalar's parameter is the value itself, and `data` is where it lies.
    pointers_[count_++] = operand.scalar ? operand.data : static_cast<void*>(&addresses_[i]);
  }
}

void Parameters::add_number(std::int64_t value, bool wide, Number& to) noexcept {
  if (wide) {
    to.wide = static_cast<std::uint64_t>(value);
  } else {
    to.narrow = static_cast<std::uint32_t>(value);
  }
  pointers_[count_++] = &to;
}

void Parameters::fill_space(const ElementwiseLaunch& launch) noexcept {
  std::byte* to = space_.data();
  const auto put = [&to](auto value) {
    std::memcpy(to, &value, sizeof(value));
    to += sizeof(value);
  };
  const std::size_t own = launch.shape.size();
  const std::size_t rank = std::max(own, static_cast<std::size_t>(launch.rank));
  const std::size_t added = rank - own;
  // The launch's axes in the kernel's order, behind those that are added: that of the tiles comes before the innermost.
  std::array<std::size_t, kMaxKernelRank> axes;
  for (std::size_t i = 0; i < own; ++i) axes[i] = i;
  if (launch.tile > 0) {
    const auto first = axes.begin() + launch.tile_dimension;
    std::rotate(first, first + 1, axes.begin() + own - 1);
  }
  const auto extent = [&](std::size_t i) { return i < added ? std::int64_t{1} : count_along(launch, axes[i - added]); };
  if (launch.wide_index) {
    for (std::size_t i = 0; i < rank; ++i) put(static_cast<std::uint64_t>(extent(i)));
  } else {
    std::array<Divisor, kMaxKernelRank> divisors;
    for (std::size_t i = 0; i < rank; ++i) {
      const auto value = static_cast<std::uint32_t>(extent(i));
      divisors[i] = divisor_of(value);
      put(value);
    }
    for (std::size_t i = 0; i < rank; ++i) put(divisors[i].magic);
    for (std::size_t i = 0; i < rank; ++i) put(divisors[i].shift);
    if (rank % 2 != 0) put(std::uint32_t{0});  // the strides are 8-byte aligned
  }
  for (const LaunchOperand& operand : launch.operands) {
    for (std::size_t i = 0; i < rank; ++i)
      put(operand.scalar || i < added ? std::int64_t{0} : operand.strides[axes[i - added]]);
  }
  if (launch.tile > 0) {
    std::array<std::int64_t, kMaxKernelRank> numbers;
    std::int64_t behind = 1;
    for (std::size_t axis = own; axis-- > 0; behind *= launch.shape[axis]) numbers[axis] = behind;
    for (std::size_t i = 0; i < rank; ++i) put(i < added ? std::int64_t{0} : numbers[axes[i - added]]);
  }
  space_bytes_ = static_cast<std::size_t>(to - space_.data());
}

}  // namespace kiln::kinds

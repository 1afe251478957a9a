// What kernels with raw operands take beside their operands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/operand.hpp"
#include "ufunc/uninitialized.hpp"

namespace kiln::ufunc {

/// What stands after the operands of a kernel (kernels-src/elementwise/abi.hpp): axes of raw operands, and the range of
/// elements.
class Beside {
 public:
  /// Adds the axes of an array as raw_axes of its rank.
  void add(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
    const std::size_t rank = std::max<std::size_t>(shape.size(), 1);
    std::int64_t* const to = reserve(2 * rank);
    to[0] = 1;  // of no dimension
    to[rank] = 0;
    std::ranges::copy(shape, to);
    std::ranges::copy(strides.first(shape.size()), to + rank);
  }
  /// Adds the range, whose first number may be set again.
  void add_range(std::int64_t size) {
    std::int64_t* const to = reserve(2);
    to[0] = 0;
    to[1] = size;
    range_ = true;
  }
  void move_on(std::int64_t elements) noexcept {
    if (range_) numbers()[count_ - 2] += elements;
  }
  [[nodiscard]] kinds::LaunchOperand operand() noexcept {
    return {numbers(), nullptr, static_cast<std::uint16_t>(count_ * sizeof(std::int64_t)), true};
  }

 private:
  [[nodiscard]] std::int64_t* numbers() noexcept { return many_.empty() ? few_.data() : many_.data(); }
  std::int64_t* reserve(std::size_t more) {
    if (count_ + more > kFew) {
      if (many_.empty()) many_.assign(few_.data(), few_.data() + count_);
      many_.resize(count_ + more);
    }
    count_ += more;
    return numbers() + count_ - more;
  }

  static constexpr std::size_t kFew = 64;
  Uninitialized<std::int64_t, kFew> few_;
  std::vector<std::int64_t> many_;
  std::size_t count_ = 0;
  bool range_ = false;
};

}  // namespace kiln::ufunc

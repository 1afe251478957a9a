// An elementwise launch as the parameters of the kernel: the GPU half of abi.hpp. Pure; nothing on the heap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernel/elementwise/launch.hpp"

namespace kiln::kinds {

/// Addresses of the kernel's parameters, and the storage of those that are not the launch's own. Refers to the launch, and to
/// itself: it stays where it was made.
class Parameters {
 public:
  /// DeviceError for a launch outside the limits of backend.hpp.
  explicit Parameters(const ElementwiseLaunch& launch);
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  [[nodiscard]] void** data() noexcept { return pointers_.data(); }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Accesses to spread over threads: packs of `width` elements; of the flat form rounded up. Of a launch by strips: threads
  /// that it needs. Of a launch by tiles: these.
  [[nodiscard]] std::int64_t packs() const noexcept { return packs_; }
  /// Bytes of the Space parameter; 0 in the flat form.
  [[nodiscard]] std::size_t space_bytes() const noexcept { return space_bytes_; }

  /// The flat form: rank 1, every array's stride is its itemsize or 0, and the kernel takes none.
  [[nodiscard]] static bool flat(const ElementwiseLaunch& launch) noexcept;

 private:
  union Number {
    std::uint64_t wide;
    std::uint32_t narrow;
  };
  void add_number(std::int64_t value, bool wide, Number& to) noexcept;
  void fill_space(const ElementwiseLaunch& launch) noexcept;

  // Three numbers of 32 bits for each dimension, strides of each operand, and those of the elements' numbers.
  static constexpr std::size_t kMaxSpace = sizeof(std::uint64_t) * kMaxKernelRank * (2 + kMaxOperands + 1);
  std::array<void*, kMaxOperands + 4> pointers_;
  alignas(16) std::array<std::byte, kMaxSpace> space_;
  std::array<void*, kMaxOperands> addresses_;
  Number size_;
  Number head_;
  Number columns_;
  std::array<std::uint32_t, 2> tiled_extents_;
  std::int64_t packs_ = 0;
  std::size_t count_ = 0;
  std::size_t space_bytes_ = 0;
};

}  // namespace kiln::kinds

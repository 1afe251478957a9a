// Calls without options on packed host arrays of one shape. The dtypes alone decide their kernel, so that a small call skips
// the choice of a place, a loop and a layout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "array/rep.hpp"
#include "kiln/arg.hpp"
#include "kiln/ufunc.hpp"
#include "ufunc/impl.hpp"

namespace kiln::ufunc {

/// The most elements of a packed call. Beyond this the choice that is skipped takes no time beside the work, and stores past
/// the cache are one of its questions.
inline constexpr std::int64_t kMostPacked = 1 << 17;

/// Whether something in this thread or process asks for more of a call than its results.
[[nodiscard]] bool calls_are_observed() noexcept;

/// Returns the number of elements of packed memory; 0 if it is not packed, not aligned, empty, or larger than kMostPacked.
/// `strides` are in units of `unit` bytes; null: C order.
[[nodiscard]] std::int64_t packed_size(const void* data, DType dtype, std::span<const std::int64_t> shape,
                                       const std::int64_t* strides, std::int64_t unit) noexcept;

/// One call: add() for each operand, inputs first, then run(). Refers to the operands.
class PackedCall {
 public:
  static constexpr std::size_t kMax = 8;

  explicit PackedCall(const detail::UfuncImpl& ufunc);

  /// Adds all operands. Returns false if the call is not packed; it goes the general way then.
  [[nodiscard]] bool add(std::span<const Arg> args, const CallOptions& options);

  /// @name Adding one operand. They return false if the call is not packed
  /// @{
  bool add(const detail::ArrayRep& array, bool written) noexcept;
  /// As packed_size().
  bool add(void* data, DType dtype, std::span<const std::int64_t> shape, const std::int64_t* strides,
           std::int64_t unit) noexcept;
  bool add_scalar(DType dtype, const void* value) noexcept;
  bool add_fresh() noexcept;
  /// @}

  /// Runs the call, and fills `results`: fresh outputs. Returns false, with nothing done, unless the kernel is known and no
  /// output overlaps another operand.
  [[nodiscard]] bool run(std::span<Array> results);
  /// Makes later calls of these dtypes find the kernel, which the general way has chosen for this one.
  void remember(const Loop& loop, const Variant<LayoutClass>& variant) const;

 private:
  struct Operand {
    char* data;  // null: a fresh output
    DType dtype;
    bool scalar;
  };
  [[nodiscard]] bool take(Operand operand, unsigned code) noexcept;
  [[nodiscard]] bool take_shape(std::span<const std::int64_t> shape, std::int64_t size) noexcept;
  [[nodiscard]] PackedKey key() const noexcept;
  [[nodiscard]] bool overlap() const noexcept;

  const detail::UfuncImpl& ufunc_;
  Device device_;
  bool packed_;
  std::size_t count_ = 0;
  std::uint64_t bits_ = 0;
  std::int64_t size_ = 0;
  std::span<const std::int64_t> shape_;
  bool has_shape_ = false;
  std::array<Operand, kMax> operands_;  // left unset beyond count_
};

}  // namespace kiln::ufunc

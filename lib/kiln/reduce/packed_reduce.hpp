// Reductions without options of a packed host array to one element. The dtype alone decides their kernel, as of packed calls.
#pragma once

#include <cstdint>

#include "kernel/reduction/plan.hpp"
#include "kiln/methods.hpp"
#include "ufunc/impl.hpp"

namespace kiln::reduce {

class PackedReduce {
 public:
  explicit PackedReduce(const detail::UfuncImpl& ufunc) noexcept : ufunc_(ufunc) {}

  /// Takes the array. Returns false if the call is not packed; it goes the general way then.
  [[nodiscard]] bool take(const detail::ArrayRep& array, const ReduceOptions& options) noexcept;
  /// Does so with an array of `size` packed elements, all of whose axes are reduced. `size` may be 0 for what is not packed.
  [[nodiscard]] bool take(const void* data, DType dtype, std::size_t rank, std::int64_t size) noexcept;

  /// Reduces to a new array of so many axes. Returns an empty handle, with nothing done, unless the kernel is known.
  [[nodiscard]] Array run(std::size_t rank);
  /// Reduces to memory of one element. Returns false, with nothing done, unless the kernel is known, has that dtype's results,
  /// and the memory is none of the array's.
  [[nodiscard]] bool run(void* out, DType dtype);
  /// Makes later calls find the kernel, which the general way has chosen for this one.
  void remember(const ufunc::Loop& loop, const ufunc::Variant<kinds::ReductionClass>& variant) const;

 private:
  [[nodiscard]] const ufunc::PackedKernel* find();
  [[nodiscard]] ufunc::PackedKey key() const noexcept;
  void launch(const ufunc::PackedKernel& kernel, void* out) const;

  const detail::UfuncImpl& ufunc_;
  Device device_;
  const char* data_ = nullptr;
  DType dtype_ = DType::bool_;
  std::int64_t size_ = 0;
};

}  // namespace kiln::reduce

// Room for N values on the stack that nothing clears: a call on one element must not pay for 32 operands.
#pragma once

#include <cstddef>
#include <type_traits>

namespace kiln::ufunc {

/// The caller assigns each value before it reads it.
template <class T, std::size_t N>
class Uninitialized {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  [[nodiscard]] T* data() noexcept { return reinterpret_cast<T*>(bytes_); }

 private:
  alignas(T) unsigned char bytes_[N * sizeof(T)];
};

}  // namespace kiln::ufunc

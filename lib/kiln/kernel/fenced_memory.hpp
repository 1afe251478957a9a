// Memory between pages that nobody may access: what a kernel in debug mode writes past its end is a crash of the kernel, and
// reaches nothing of the host's.
#pragma once

#include <cstddef>

namespace kiln::kinds {

/// Zeros. Move-only, and empty by default.
class FencedMemory {
 public:
  FencedMemory() = default;
  /// `bytes` are rounded up to cache lines; the last one ends where the fence begins. std::bad_alloc.
  explicit FencedMemory(std::size_t bytes);
  ~FencedMemory();
  FencedMemory(FencedMemory&& other) noexcept;
  FencedMemory& operator=(FencedMemory&& other) noexcept;

  /// On a cache line; null: it is empty.
  [[nodiscard]] std::byte* data() const noexcept { return data_; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace kiln::kinds

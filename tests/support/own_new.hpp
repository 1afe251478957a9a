// The program's operator new and delete, which call before_allocation() first. One file of a program includes this and defines
// that.
#pragma once

#include <cstdlib>
#include <new>

namespace kiln::test {

/// Called by the thread that allocates. It may throw std::bad_alloc.
void before_allocation();

inline void* allocated(std::size_t bytes) {
  before_allocation();
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace kiln::test

void* operator new(std::size_t bytes) {
  return kiln::test::allocated(bytes);
}
void* operator new[](std::size_t bytes) {
  return kiln::test::allocated(bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}

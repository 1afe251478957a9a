// Threads whose stack has a size that a test chooses.
#pragma once

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cstddef>
#include <functional>

namespace kiln::test {

/// Runs body in a thread with a stack of so many bytes, and waits for it.
inline void in_thread(std::size_t bytes, std::function<void()> body) {
  // Memory of its own: the C library may give a thread an earlier one's larger stack.
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstack(&attributes, memory, bytes) == 0);
  pthread_t thread{};
  const auto run = [](void* work) -> void* {
    (*static_cast<std::function<void()>*>(work))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, &body) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  munmap(memory, bytes);
}

}  // namespace kiln::test

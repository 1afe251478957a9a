// Kernels on stacks of kiln's own.
#include "device/cpu/own_stack.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>

#include "base/sanitizer.hpp"
#include "base/thread_with_stack.hpp"

using kiln::backend::cpu::has_enough_stack, kiln::backend::cpu::OwnStack, kiln::backend::cpu::with_enough_stack;

namespace {

/// Writes so many bytes of stack.
__attribute__((noinline)) int fill(std::size_t bytes) {
  auto* const all = static_cast<volatile char*>(__builtin_alloca(bytes));
  for (std::size_t i = 0; i < bytes; i += 1024) all[i] = 1;
  return all[0];
}

}  // namespace

TEST_CASE("own stack: work has a stack of its own, and what it throws is its caller's") {
  int result = 0;
  {
    OwnStack outer;
    outer.call([&] {
      CHECK(outer.fiber().holds(__builtin_frame_address(0)));
      CHECK(has_enough_stack());
      OwnStack inner;  // another one
      inner.call([&] { result = fill(std::size_t{6} << 20) + (outer.fiber().holds(__builtin_frame_address(0)) ? 10 : 0); });
    });
  }
  CHECK(result == 1);
  OwnStack stack;
  std::string text;
  try {
    stack.call([] { throw std::runtime_error("thrown"); });
  } catch (const std::runtime_error& error) {
    text = error.what();
  }
  CHECK(text == "thrown");
  stack.call([&] { result = 7; });
  CHECK(result == 7);
}

TEST_CASE("own stack: threads that have enough keep theirs") {
  const void* at = nullptr;
  const auto here = [&] { at = __builtin_frame_address(0); };
  kiln::test::in_thread(std::size_t{4} << 20, [&] {
    CHECK(has_enough_stack());
    with_enough_stack(here);
    const auto distance = static_cast<const char*>(__builtin_frame_address(0)) - static_cast<const char*>(at);
    CHECK(std::abs(distance) < 65536);
  });
}

#if !defined(KILN_SANITIZED)  // their frames do not fit
TEST_CASE("own stack: threads with small stacks run kernels on another") {
  for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{1} << 20}) {
    kiln::test::in_thread(bytes, [&] {
      CHECK_FALSE(has_enough_stack());
      for (int round = 0; round < 3; ++round) {
        int result = 0;
        with_enough_stack([&] { with_enough_stack([&] { result = fill(std::size_t{1} << 20); }); });
        CHECK(result == 1);
      }
    });
  }
}
#endif

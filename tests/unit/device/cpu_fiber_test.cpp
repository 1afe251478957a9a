// Functions on stacks of their own.
#include "device/cpu/fiber.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using kiln::backend::cpu::Fiber;

TEST_CASE("a fiber suspends where it is, goes on there, and begins again") {
  std::string told;
  Fiber* running = nullptr;
  Fiber fiber([&] {
    for (const char* const part : {"a", "b"}) {
      told += part;
      running->suspend();
    }
    told += "c";
  });
  running = &fiber;
  for (const char* const after : {"a", "ab", "abc", "abca"}) {
    CHECK(fiber.resume() == (std::string(after) != "abc"));
    CHECK(told == after);
  }
  CHECK(fiber.resume());
  CHECK_FALSE(fiber.resume());
}

TEST_CASE("a fiber's stack lies between memory that is told apart from it") {
  constexpr std::size_t kBytes = 1 << 20;
  const char* here = nullptr;
  Fiber fiber([&] { here = static_cast<const char*>(__builtin_frame_address(0)); }, kBytes);
  CHECK_FALSE(fiber.resume());
  CHECK(fiber.holds(here));
  CHECK_FALSE(fiber.is_below(here));
  CHECK_FALSE(fiber.is_above(here));
  CHECK(fiber.is_below(here - kBytes));
  CHECK(fiber.is_above(here + 4096));
  CHECK_FALSE(fiber.is_above(here + kBytes));
  CHECK_FALSE(fiber.is_below(nullptr));
}

TEST_CASE("fibers have locals and exceptions of their own") {
  std::vector<std::unique_ptr<Fiber>> fibers;
  Fiber* running = nullptr;
  int sum = 0;
  bool own = true;
  for (int i = 0; i < 50; ++i) {
    fibers.push_back(std::make_unique<Fiber>([&, i] {
      const std::vector<int> values(100, i);
      own &= running->holds(__builtin_frame_address(0)) && !running->holds(&sum);
      try {
        running->suspend();
        throw int(i);
      } catch (int thrown) {
        running->suspend();
        sum += values[99] + thrown;
      }
    }));
  }
  for (const bool suspends : {true, true, false}) {
    for (const auto& fiber : fibers) {
      running = fiber.get();
      CHECK(fiber->resume() == suspends);
    }
  }
  CHECK(sum == 2450);
  CHECK(own);
}

// Memory between pages that nobody may access.
#include "kernel/fenced_memory.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "device/cpu/signal_guard.hpp"

using kiln::kinds::FencedMemory;

TEST_CASE("fenced memory: as many bytes as were asked for, and then a fence") {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{100}, std::size_t{1} << 20}) {
    CAPTURE(bytes);
    FencedMemory first(bytes);
    const FencedMemory memory = std::move(first);
    CHECK(first.data() == nullptr);  // NOLINT(bugprone-use-after-move): what it says
    CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 64 == 0);
    const std::size_t end = (bytes + 63) / 64 * 64;
    memory.data()[0] = memory.data()[end - 1] = std::byte{1};
#if !defined(__SANITIZE_THREAD__)  // which has handlers of its own
    kiln::backend::cpu::catch_signals();
    const auto crash = kiln::backend::cpu::guarded([&] { memory.data()[end] = std::byte{1}; });
    REQUIRE(crash);
    CHECK((crash->kind == kiln::kinds::CrashKind::guarded_memory));
    CHECK(crash->address == reinterpret_cast<std::uintptr_t>(memory.data() + end));
#endif
  }
  CHECK(FencedMemory().data() == nullptr);
  CHECK_THROWS_AS(FencedMemory(SIZE_MAX - 100), std::bad_alloc);
}

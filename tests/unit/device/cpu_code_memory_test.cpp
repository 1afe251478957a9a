// Nothing of the arenas is lost where memory ends while a kernel is placed.
#include <doctest/doctest.h>
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <new>
#include <string>

#include "../binary/small_object.hpp"
#include "base/sanitizer.hpp"
#include "device/cpu/code_arena.hpp"
#include "device/cpu/code_image.hpp"

// Sanitizers have their own operator new.
#if !defined(KILN_SANITIZED)

#include "support/own_new.hpp"

namespace {

thread_local int allocations_left = -1;  // no limit where it is negative

}  // namespace

void kiln::test::before_allocation() {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
}

namespace {

using kiln::backend::cpu::CodeArenas;
using kiln::backend::cpu::CodeImage;

/// Calls it with room for ever more allocations, until it succeeds. How often it failed.
template <class Action>
int failures_of(Action&& action) {
  for (int room = 0;; ++room) {
    REQUIRE(room < 1000);
    allocations_left = room;
    bool done = false;
    try {
      done = action();
    } catch (const std::bad_alloc&) {  // seen by `done`
    }
    allocations_left = -1;
    if (done) return room;
  }
}

std::string object() {
  kiln::test::SmallObject small;
#if !defined(__x86_64__)
  small.machine = EM_AARCH64;
#endif
  const auto text = small.add({.name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR, .bytes = std::string(16, '\0')});
  small.add_symbol("a_function_whose_name_is_on_the_heap", static_cast<std::uint16_t>(text), 0);
  return small.bytes();
}

std::size_t pages_of_process() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

}  // namespace

TEST_CASE("code memory: a kernel that is not placed to its end gives its pages back") {
  const std::string code = object();
  const std::string name = "a kernel whose name is on the heap";
  const std::size_t used = CodeArenas::of_process().usage().bytes;
  const int failures = failures_of([&] {
    const CodeImage image(code, name);
    allocations_left = -1;
    CHECK(CodeArenas::of_process().usage().bytes > used);
    return true;
  });
  CHECK(failures > 5);
  CHECK(CodeArenas::of_process().usage().bytes == used);
}

TEST_CASE("code memory: an arena that cannot be noted is unmapped") {
  constexpr std::size_t kPagesOfArena = 1024;
  CodeArenas arenas;
  const std::size_t before = pages_of_process();
  const int failures = failures_of([&] {
    const auto pages = arenas.allocate(100);
    allocations_left = -1;
    CHECK(pages_of_process() < before + (pages ? 2 : 1) * kPagesOfArena);
    CHECK(arenas.usage().arenas == (pages ? 1 : 0));
    return pages.has_value();
  });
  CHECK(failures == 3);
}

#endif

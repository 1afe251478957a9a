#include "program/memory_tier.hpp"

#include <doctest/doctest.h>

#include "text_backend.hpp"

using kiln::program::Code;
using kiln::program::MemoryTier;
using kiln::program::Outcome;
using kiln::test::LoadedText;
using kiln::test::TextBackend;

namespace {

Outcome code(std::size_t bytes, double compile_ms = 1) {
  return {.code = {.image = std::make_shared<const std::string>(bytes, 'x'), .compile_ms = compile_ms}};
}

Outcome failure() {
  return {.failure = std::make_shared<const kiln::CompileError>(kiln::CompileError::Details{})};
}

}  // namespace

TEST_CASE("beyond the bound the least recently used code goes") {
  MemoryTier memory({.code_bytes = 300});
  MemoryTier::Dropped dropped;
  for (const char* name : {"a", "b", "c"}) memory.insert(name, code(100), dropped);
  CHECK(memory.code_bytes() == 300);
  CHECK(dropped.empty());
  CHECK(memory.find("a") != nullptr);  // the oldest, but now used
  memory.insert("d", code(150), dropped);
  CHECK(memory.find("b") == nullptr);
  CHECK(memory.find("c") == nullptr);
  CHECK(memory.find("a") != nullptr);
  CHECK(memory.find("d") != nullptr);
  CHECK(memory.code_bytes() == 250);
  CHECK(dropped.size() == 2);
  memory.insert("large", code(301), dropped);
  CHECK(memory.find("large") == nullptr);
  CHECK(memory.code_bytes() == 250);
  memory.insert("a", code(1), dropped);  // known already
  REQUIRE(memory.find("a") != nullptr);
  CHECK(memory.find("a")->code.bytes().size() == 100);
}

TEST_CASE("failures have a bound of their own") {
  MemoryTier memory({.code_bytes = 100, .failures = 2});
  MemoryTier::Dropped dropped;
  memory.insert("code", code(100), dropped);
  for (const char* name : {"f1", "f2"}) memory.insert(name, failure(), dropped);
  CHECK(memory.find("f1") != nullptr);
  memory.insert("f3", failure(), dropped);
  CHECK(memory.find("f2") == nullptr);
  REQUIRE(memory.find("f1") != nullptr);
  CHECK(memory.find("f1")->failure != nullptr);
  CHECK(memory.find("code") != nullptr);
}

TEST_CASE("a module goes with its code, unless someone holds it: then it is found as long as they do") {
  MemoryTier memory({.code_bytes = 100});
  MemoryTier::Dropped dropped;
  TextBackend first;
  TextBackend second;
  REQUIRE(LoadedText::alive() == 0);
  memory.insert("a", code(60, 7), dropped);
  CHECK(memory.find_module("a", first).module == nullptr);
  (void)memory.insert_module("a", first, {first.load("1", ""), 7}, dropped);
  auto held = memory.insert_module("a", second, {second.load("2", ""), 7}, dropped);
  CHECK(LoadedText::alive() == 2);
  CHECK(memory.insert_module("a", second, {second.load("3", ""), 7}, dropped) == held);  // the first one wins
  CHECK(LoadedText::alive() == 2);
  CHECK(memory.find_module("a", second).compile_ms == 7);

  memory.insert("b", code(60), dropped);
  CHECK(memory.find("a") == nullptr);
  CHECK(LoadedText::alive() == 2);  // until the lock is released
  dropped.clear();
  CHECK(LoadedText::alive() == 1);
  CHECK(memory.find_module("a", first).module == nullptr);
  CHECK(memory.find_module("a", second).module == held);
  CHECK(memory.find_module("a", second).compile_ms == 7);
  held.reset();
  CHECK(memory.find_module("a", second).module == nullptr);
  CHECK(LoadedText::alive() == 0);

  // Code that is too large to be kept: its module is kept by who holds it alone.
  const auto large = memory.insert_module("large", first, {first.load("4", ""), 1}, dropped);
  CHECK(memory.find_module("large", first).module == large);
}

TEST_CASE("what a loaded module takes of the host's memory counts, and goes with it") {
  MemoryTier memory({.code_bytes = 100});
  MemoryTier::Dropped dropped;
  TextBackend device;
  const auto load = [&](std::size_t bytes) {
    auto module = std::make_shared<LoadedText>("1");
    module->bytes = bytes;
    return MemoryTier::Loaded{module, 1};
  };
  memory.insert("a", code(10), dropped);
  (void)memory.insert_module("a", device, load(40), dropped);
  CHECK(memory.code_bytes() == 50);
  memory.insert("b", code(10), dropped);
  (void)memory.insert_module("b", device, load(40), dropped);
  CHECK(memory.code_bytes() == 100);
  CHECK(dropped.empty());
  memory.insert("c", code(1), dropped);
  CHECK(memory.find("a") == nullptr);
  CHECK(memory.code_bytes() == 51);
  // One that is too large with its module is its holder's alone.
  const auto held = memory.insert_module("c", device, load(200), dropped);
  CHECK(memory.find("c") == nullptr);
  CHECK(memory.code_bytes() == 0);
  CHECK(memory.find_module("c", device).module == held);
}

#include "program/program.hpp"
#include "kernel/elementwise/spec.hpp"

#include <doctest/doctest.h>

#include <latch>
#include <thread>

#include "../base/child_process.hpp"
#include "../base/temporary_directory.hpp"
#include "kiln/cache.hpp"
#include "plain_request.hpp"
#include "text_backend.hpp"

using namespace kiln;
using kiln::test::ChildProcess;
using kiln::test::LoadedText;
using kiln::test::TemporaryDirectory;
using kiln::test::TextBackend;
using namespace std::chrono_literals;

TEST_CASE("helper process: loads" * doctest::skip()) {
  codegen::UserText text;
  text.name = "k";
  text.body = "return a;";
  text.input_names = {"a"};
  kinds::ElementwiseSpec spec;
  spec = kinds::ElementwiseSpec{.inputs = {{}}, .outputs = {{}}};
  const auto request = [&] { return test::plain_request(text, spec, "float64(float64 a)"); };
  CHECK(cache::stats().compiles == 0);
  CHECK(cache::stats().compiles == 0);
  TextBackend first(20ms);
  TextBackend second;
  const bool warm = std::getenv("KILN_TEST_WARM") != nullptr;
  const auto module = program::load(request(), first);
  CHECK(dynamic_cast<const LoadedText&>(*module).text == "code of " + kinds::render(text, spec, first.counting->kind()));
  CHECK(program::load(request(), first) == module);
  CHECK(first.loads == 1);
  // Another device of the same target has a module of its own, of the same code.
  CHECK(program::load(request(), second) != module);
  CHECK(second.loads == 1);
  CHECK(second.counting->compiles == 0);
  CHECK(first.counting->compiles == (warm ? 0 : 1));
  CHECK(cache::stats().compiles == (warm ? 0 : 1));
  CHECK(cache::stats().disk_hits == (warm ? 1 : 0));
  CHECK(cache::stats().memory_hits == 2);
  CHECK((cache::stats().compile_ms >= 20) == !warm);

  // Threads that load one kernel at once share its module.
  text.body = "return a + 1;";
  std::latch start(6);
  std::vector<std::shared_ptr<backend::Module>> modules(6);
  std::vector<std::thread> threads;
  for (auto& place : modules) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      place = program::load(request(), first);
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& loaded : modules) CHECK(loaded == modules[0]);
  CHECK(first.counting->compiles == (warm ? 0 : 2));

  text.body = "error";
  CHECK_THROWS_AS((void)program::load(request(), first), CompileError);
  CHECK_THROWS_AS((void)program::load(request(), first), CompileError);
  CHECK(first.counting->compiles == (warm ? 1 : 3));
}

TEST_CASE("load gives one module for each key and device, and counts where its code came from") {
  const TemporaryDirectory folder;
  CHECK(ChildProcess("helper process: loads", {{"KILN_CACHE_DIR", folder / "cache"}}).wait() == 0);
  CHECK(ChildProcess("helper process: loads", {{"KILN_CACHE_DIR", folder / "cache"}, {"KILN_TEST_WARM", "1"}}).wait() == 0);
  CHECK(ChildProcess("helper process: loads", {{"KILN_CACHE_DIR", ""}}).wait() == 0);
}

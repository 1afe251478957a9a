#include "program/builder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <latch>
#include <thread>

#include "../base/child_process.hpp"
#include "../base/temporary_directory.hpp"
#include "cache/key.hpp"
#include "counting_compiler.hpp"

using kiln::CompileError;
using kiln::DeviceError;
using kiln::cache::DiskStore;
using kiln::program::Builder;
using kiln::program::Job;
using kiln::program::Origin;
using kiln::test::ChildProcess;
using kiln::test::CountingCompiler;
using kiln::test::TemporaryDirectory;
using namespace std::chrono_literals;

namespace {

Job make_job(const std::string& source, const std::string& signature = "float32(float32 a)") {
  Job job;
  job.compile.name = "k";
  job.compile.context = signature;
  job.compile.source = source;
  kiln::cache::Key key;
  key.source = source;
  job.key = key.canonical();
  job.digest = kiln::cache::digest(job.key);
  job.body = "a;\nreturn a;";
  return job;
}

DiskStore make_store(const std::string& directory, std::chrono::milliseconds timeout = 30s) {
  return {directory, {}, 1 << 30, nullptr, timeout};
}

template <typename Work>
void in_threads(int count, Work work) {
  std::latch start(count);
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      work(t);
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("code comes from the compiler, then from memory, and from the disk for the next process") {
  const TemporaryDirectory folder;
  DiskStore store = make_store(folder.path());
  const CountingCompiler compiler(5ms);
  Builder first(&store);
  const auto compiled = first.build(make_job("a"), compiler);
  CHECK(compiled.bytes() == "code of a");
  CHECK(compiled.origin == Origin::compiled);
  CHECK(compiled.compile_ms >= 5);
  const auto remembered = first.build(make_job("a"), compiler);
  CHECK(remembered.bytes() == "code of a");
  CHECK(remembered.origin == Origin::memory);

  Builder second(&store);
  const auto stored = second.build(make_job("a"), compiler);
  CHECK(stored.bytes() == "code of a");
  CHECK(stored.origin == Origin::disk);
  CHECK(stored.compile_ms == compiled.compile_ms);
  CHECK(second.build(make_job("a"), compiler).origin == Origin::memory);
  CHECK(second.build(make_job("b"), compiler).bytes() == "code of b");
  CHECK(compiler.compiles == 2);

  CHECK(first.stats().compiles == 1);
  CHECK(first.stats().memory_hits == 1);
  CHECK(first.stats().disk_hits == 0);
  CHECK(first.stats().compile_ms >= 5);
  CHECK(second.stats().compiles == 1);
  CHECK(second.stats().memory_hits == 1);
  CHECK(second.stats().disk_hits == 1);

  const auto entry = store.find(make_job("a").key);
  REQUIRE(entry);
  CHECK(entry->info.kernel == "k");
  CHECK(entry->info.signature == "float32(float32 a)");
  CHECK(entry->info.body == "a;\nreturn a;");
  CHECK(entry->info.created_unix > 1'600'000'000);
}

TEST_CASE("a builder without a disk compiles once") {
  Builder builder(nullptr);
  const CountingCompiler compiler;
  CHECK(builder.build(make_job("a"), compiler).origin == Origin::compiled);
  CHECK(builder.build(make_job("a"), compiler).origin == Origin::memory);
  CHECK(compiler.compiles == 1);
}

TEST_CASE("threads that ask for one kernel at once compile it once") {
  const TemporaryDirectory folder;
  DiskStore store = make_store(folder.path());
  for (DiskStore* disk : {&store, static_cast<DiskStore*>(nullptr)}) {
    Builder builder(disk);
    const CountingCompiler compiler(30ms);
    std::atomic<int> right{0};
    in_threads(8, [&](int) { right += builder.build(make_job("a"), compiler).bytes() == "code of a" ? 1 : 0; });
    CHECK(right == 8);
    CHECK(compiler.compiles == 1);
    CHECK(builder.stats().memory_hits == 7);
  }
}

TEST_CASE("threads that ask for different kernels compile at the same time") {
  Builder builder(nullptr);
  CountingCompiler compiler;
  compiler.together = 8;  // every compile waits for the others to begin
  in_threads(8, [&](int t) { (void)builder.build(make_job(fmt::format("{}", t)), compiler); });
  CHECK(compiler.compiles == 8);
  CHECK(compiler.alone == 0);
}

TEST_CASE("two builders of one directory, as two processes have, compile once") {
  const TemporaryDirectory folder;
  DiskStore stores[2] = {make_store(folder.path()), make_store(folder.path())};
  Builder builders[2] = {Builder(&stores[0]), Builder(&stores[1])};
  const CountingCompiler compiler(50ms);
  in_threads(2, [&](int t) { CHECK(builders[t].build(make_job("a"), compiler).bytes() == "code of a"); });
  // The entry is published under the lock: whoever waited for it reads it from the disk.
  CHECK(compiler.compiles == 1);
  CHECK(builders[0].stats().disk_hits + builders[1].stats().disk_hits == 1);
}

TEST_CASE("a failed compile is remembered and thrown again to everyone") {
  const TemporaryDirectory folder;
  DiskStore store = make_store(folder.path());
  Builder builder(&store);
  const CountingCompiler compiler(20ms);
  std::atomic<int> failures{0};
  in_threads(8, [&](int) {
    try {
      (void)builder.build(make_job("error"), compiler);
    } catch (const CompileError& error) {
      if (error.diagnostics().size() == 1 && error.log() == "log") ++failures;
    }
  });
  CHECK(failures == 8);
  CHECK(compiler.compiles == 1);
  CHECK_THROWS_AS((void)builder.build(make_job("error"), compiler), CompileError);
  CHECK(compiler.compiles == 1);
  CHECK(builder.stats().compiles == 1);
  CHECK(builder.stats().memory_hits == 0);
  CHECK_FALSE(store.find(make_job("error").key));
}

TEST_CASE("a compile that fails by chance fails for those who wait for it, and is not remembered") {
  Builder builder(nullptr);
  const CountingCompiler compiler(200ms);
  std::atomic<int> failures{0};
  in_threads(8, [&](int) {
    try {
      (void)builder.build(make_job("late"), compiler);
    } catch (const CompileError& error) {
      if (error.log() == "late") ++failures;
    }
  });
  CHECK(failures == 8);
  const int compiles = compiler.compiles;
  CHECK(compiles < 4);  // of those who came in time
  CHECK_THROWS_AS((void)builder.build(make_job("late"), compiler), CompileError);
  CHECK(compiler.compiles == compiles + 1);
}

TEST_CASE("a remembered failure speaks of the signature that was asked for") {
  Builder builder(nullptr);
  const CountingCompiler compiler;
  const auto message = [&](const std::string& signature) -> std::string {
    try {
      (void)builder.build(make_job("error", signature), compiler);
    } catch (const CompileError& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK(message("float32(float32 a)").find("while compiling \"float32(float32 a)\" for sm_90 (Counting 1)") !=
        std::string::npos);
  const std::string other = message("float32(float32 b)");
  CHECK(other.find("while compiling \"float32(float32 b)\" for sm_90 (Counting 1)") != std::string::npos);
  CHECK(other.find("k:2:3: error: no such thing") != std::string::npos);
  CHECK(compiler.compiles == 1);
}

TEST_CASE("any other exception is not remembered, and reaches every thread as its own") {
  Builder builder(nullptr);
  const CountingCompiler compiler(5ms);
  std::atomic<int> failures{0};
  in_threads(4, [&](int) {
    try {
      (void)builder.build(make_job("driver"), compiler);
    } catch (const DeviceError& error) {
      if (std::string(error.what()) == "cannot load the compiler") ++failures;
    }
  });
  CHECK(failures == 4);
  CHECK(compiler.compiles == 4);
}

TEST_CASE("memory keeps the newest code and failures within its limits") {
  Builder builder(nullptr, {.code_bytes = 30, .failures = 2});
  const CountingCompiler compiler;
  for (const char* source : {"1", "2", "3", "4"}) (void)builder.build(make_job(source), compiler);  // 9 bytes each
  CHECK(builder.build(make_job("4"), compiler).origin == Origin::memory);
  CHECK(builder.build(make_job("2"), compiler).origin == Origin::memory);
  CHECK(builder.build(make_job("1"), compiler).origin == Origin::compiled);
  const std::string large(100, 'x');
  CHECK(builder.build(make_job(large), compiler).bytes() == "code of " + large);
  CHECK(builder.build(make_job(large), compiler).origin == Origin::compiled);

  const int before = compiler.compiles;
  for (const char* source : {"error 1", "error 2", "error 3", "error 3", "error 1"}) {
    CHECK_THROWS_AS((void)builder.build(make_job(source), compiler), CompileError);
  }
  CHECK(compiler.compiles - before == 4);
}

TEST_CASE("helper process: builds one kernel" * doctest::skip()) {
  DiskStore store = make_store(kiln::test::from_parent("KILN_TEST_PATH"));
  Builder builder(&store);
  const CountingCompiler compiler(std::chrono::milliseconds(std::stoi(kiln::test::from_parent("KILN_TEST_MILLISECONDS"))));
  CHECK(builder.build(make_job("shared"), compiler).bytes() == "code of shared");
  kiln::test::write_text(kiln::test::from_parent("KILN_TEST_RESULT"), std::to_string(compiler.compiles));
}

TEST_CASE("processes that ask for one kernel at once compile it once") {
  const TemporaryDirectory folder;
  std::vector<ChildProcess> children;
  for (int i = 0; i < 3; ++i) {
    children.emplace_back("helper process: builds one kernel",
                          std::map<std::string, std::string>{{"KILN_TEST_PATH", folder / "cache"},
                                                             {"KILN_TEST_MILLISECONDS", "400"},
                                                             {"KILN_TEST_RESULT", folder / fmt::format("result{}", i)}});
  }
  for (auto& child : children) CHECK(child.wait() == 0);
  int compiles = 0;
  for (int i = 0; i < 3; ++i) compiles += std::stoi(kiln::test::read_text(folder / fmt::format("result{}", i)));
  CHECK(compiles == 1);
}

TEST_CASE("a process killed while it compiles holds nobody up") {
  const TemporaryDirectory folder;
  {
    ChildProcess child(
        "helper process: builds one kernel",
        {{"KILN_TEST_PATH", folder / "cache"}, {"KILN_TEST_MILLISECONDS", "60000"}, {"KILN_TEST_RESULT", folder / "result"}});
    const std::string lock = folder / "cache/locks/" + make_job("shared").digest + ".lock";
    for (int i = 0; i < 6000 && !std::filesystem::exists(lock); ++i) std::this_thread::sleep_for(5ms);
    child.kill();
    CHECK(child.wait() == 128 + SIGKILL);
  }
  CHECK(kiln::test::list_files(folder / "cache") == std::vector<std::string>{"locks/" + make_job("shared").digest + ".lock"});
  DiskStore store = make_store(folder / "cache", 600s);
  Builder builder(&store);
  const CountingCompiler compiler;
  const auto start = std::chrono::steady_clock::now();
  CHECK(builder.build(make_job("shared"), compiler).origin == Origin::compiled);
  CHECK(std::chrono::steady_clock::now() - start < 60s);
}

TEST_CASE("a process that does not let go of its flight is waited for no longer than the time-out") {
  const TemporaryDirectory folder;
  DiskStore holder = make_store(folder.path());
  const auto flight = holder.lock(make_job("a").key);
  REQUIRE(flight != nullptr);
  DiskStore store = make_store(folder.path(), 50ms);
  Builder builder(&store);
  const CountingCompiler compiler;
  CHECK(builder.build(make_job("a"), compiler).origin == Origin::compiled);
  CHECK(holder.find(make_job("a").key)->payload == "code of a");
}

TEST_CASE("what does not compile is told of the text as it is written") {
  Builder builder(nullptr);
  const CountingCompiler compiler;
  const auto source_of = [&](const Job& job) {
    try {
      (void)builder.build(job, compiler);
    } catch (const CompileError& error) {
      return error.source();
    }
    return std::string();
  };
  Job job = make_job("error in a %kiln_by/ b");
  job.as_written = "error in a / b";
  CHECK(source_of(job) == "error in a / b");
  CHECK(compiler.compiles == 2);
  // Once for all.
  CHECK(source_of(job) == "error in a / b");
  CHECK(compiler.compiles == 2);

  job = make_job("another error in a %kiln_by/ b");
  job.as_written = "a / b";
  CHECK(source_of(job) == "another error in a %kiln_by/ b");
  job = make_job("a %kiln_by/ b");
  job.as_written = "error in a / b";
  CHECK(builder.build(job, compiler).bytes() == "code of a %kiln_by/ b");
  CHECK(compiler.compiles == 5);
}

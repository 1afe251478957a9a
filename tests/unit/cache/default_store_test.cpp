#include <doctest/doctest.h>
#include <sys/stat.h>

#include <stdexcept>
#include <thread>

#include "../base/child_process.hpp"
#include "../base/temporary_directory.hpp"
#include "cache/log.hpp"
#include "kiln/cache.hpp"
#include "sample.hpp"

using kiln::test::ChildProcess;
using kiln::test::sample_entry;
using kiln::test::sample_key;
using kiln::test::TemporaryDirectory;

TEST_CASE("set_log: the callback gets lines until it is replaced, and its exceptions go nowhere") {
  std::vector<std::string> lines;
  kiln::cache::set_log([&](std::string_view line) { lines.emplace_back(line); });
  kiln::cache::log_line("one");
  kiln::cache::set_log([](std::string_view) { throw std::runtime_error("callback"); });
  kiln::cache::log_line("two");
  kiln::cache::set_log(nullptr);
  kiln::cache::log_line("three");
  CHECK(lines == std::vector<std::string>{"one"});
}

TEST_CASE("set_log: lines may come from many threads while the callback changes") {
  std::atomic<int> count{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) kiln::cache::log_line("x");
    });
  }
  for (int i = 0; i < 100; ++i) kiln::cache::set_log([&](std::string_view) { ++count; });
  for (auto& thread : threads) thread.join();
  kiln::cache::log_line("x");
  kiln::cache::set_log(nullptr);
  CHECK(count >= 1);
}

TEST_CASE("helper process: the default store" * doctest::skip()) {
  std::vector<std::string> lines;
  kiln::cache::set_log([&](std::string_view line) { lines.emplace_back(line); });
  const std::string expected = std::getenv("KILN_TEST_DIRECTORY");
  CHECK(kiln::cache::directory() == expected);
  CHECK(kiln::cache::default_store() == kiln::cache::default_store());
  if (kiln::cache::DiskStore* store = kiln::cache::default_store(); store != nullptr && !expected.empty()) {
    store->put(sample_key().canonical(), sample_entry("code"));
    CHECK(store->find(sample_key().canonical())->payload == "code");
  }
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  kiln::test::write_text(std::getenv("KILN_TEST_LOG"), all);
}

TEST_CASE("the default store follows the environment") {
  const TemporaryDirectory folder;
  const std::string helper = "helper process: the default store";
  const auto run = [&](std::map<std::string, std::string> environment, const std::string& directory) {
    environment["KILN_TEST_DIRECTORY"] = directory;
    environment["KILN_TEST_LOG"] = folder / "log";
    CHECK(ChildProcess(helper, environment).wait() == 0);
    return kiln::test::read_text(folder / "log");
  };
  CHECK(run({{"KILN_CACHE_DIR", folder / "own"}}, folder / "own") == "");
  CHECK(std::filesystem::exists(folder / "own/" + kiln::test::entry_file(sample_key().canonical())));
  CHECK(run({{"KILN_CACHE_DIR", ""}}, "") == "");

  std::filesystem::create_directory(folder / "shared");
  chmod((folder / "shared").c_str(), 0777);
  CHECK(run({{"KILN_CACHE_DIR", folder / "shared"}}, "") ==
        "cache directory " + folder / "shared" +
            " is not used: it can be written by others (mode 0777); to mend it: chmod 700 " + folder / "shared" +
            "; until then kernels are kept in memory only\n");
  CHECK(run({{"KILN_CACHE_DIR", folder / "own"}, {"KILN_CACHE_MAX_BYTES", "lots"}}, folder / "own") ==
        "KILN_CACHE_MAX_BYTES is \"lots\", which is no number of bytes; the bound is 1G; write it as 1000000, 500M or 2G\n");
}

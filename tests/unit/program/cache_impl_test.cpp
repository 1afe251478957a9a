#include "program/cache_impl.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "../base/child_process.hpp"
#include "../base/temporary_directory.hpp"
#include "../cache/sample.hpp"

using kiln::test::ChildProcess;
using kiln::test::sample_entry;
using kiln::test::sample_key;
using kiln::test::TemporaryDirectory;

TEST_CASE("helper process: the process's cache" * doctest::skip()) {
  std::vector<std::string> lines;
  kiln::cache::set_log([&](std::string_view line) { lines.emplace_back(line); });
  const std::string expected = kiln::test::from_parent("KILN_TEST_DIRECTORY");
  CHECK(kiln::cache::directory() == expected);
  CHECK(kiln::Cache().directory() == expected);
  CHECK(&kiln::program::process_cache() == &kiln::program::process_cache());
  if (kiln::cache::DiskStore* store = kiln::program::process_cache().store(); store != nullptr && !expected.empty()) {
    store->put(sample_key().canonical(), sample_entry("code"));
    CHECK(store->find(sample_key().canonical())->payload == "code");
  }
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  kiln::test::write_text(kiln::test::from_parent("KILN_TEST_LOG"), all);
}

TEST_CASE("the process's cache follows the environment") {
  const TemporaryDirectory folder;
  const std::string helper = "helper process: the process's cache";
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

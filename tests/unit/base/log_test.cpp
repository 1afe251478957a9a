#include "base/log.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

#include "kiln/cache.hpp"

TEST_CASE("set_log: the callback gets lines until it is replaced, and its exceptions go nowhere") {
  std::vector<std::string> lines;
  kiln::cache::set_log([&](std::string_view line) { lines.emplace_back(line); });
  kiln::base::log_line("one");
  kiln::cache::set_log([](std::string_view) { throw std::runtime_error("callback"); });
  kiln::base::log_line("two");
  kiln::cache::set_log(nullptr);
  kiln::base::log_line("three");
  CHECK(lines == std::vector<std::string>{"one"});
}

TEST_CASE("set_log: lines may come from many threads while the callback changes") {
  std::atomic<int> count{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) kiln::base::log_line("x");
    });
  }
  for (int i = 0; i < 100; ++i) kiln::cache::set_log([&](std::string_view) { ++count; });
  for (auto& thread : threads) thread.join();
  kiln::base::log_line("x");
  kiln::cache::set_log(nullptr);
  CHECK(count >= 1);
}

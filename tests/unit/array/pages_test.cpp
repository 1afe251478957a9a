// Arrays and the pool of pages that they come from.
#include <doctest/doctest.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/child_process.hpp"
#include "base/log.hpp"
#include "kiln/array.hpp"

namespace {

bool is_mapped(void* address) {
  return msync(address, 4096, MS_ASYNC) == 0;
}

}  // namespace
TEST_CASE("zeros are zeros where freed arrays of their size were not") {
  constexpr std::int64_t kElements = 1 << 20;
  for (int k = 0; k < 3; ++k) {
    CHECK(kiln::Array::full({kElements}, 7.0f).size() == kElements);
    const kiln::Array zeros = kiln::Array::zeros({kElements}, kiln::DType::float32);
    const float* const data = zeros.as<float>();
    CHECK(std::all_of(data, data + kElements, [](float x) { return x == 0; }));
  }
}

TEST_CASE("in a process without a pool" * doctest::skip()) {
  kiln::Array array = kiln::Array::full({1 << 20}, 7.0f);
  void* const data = array.data();
  CHECK(is_mapped(data));
  array = kiln::Array();
  CHECK_FALSE(is_mapped(data));
}

TEST_CASE("in a process whose limit is no number" * doctest::skip()) {
  std::vector<std::string> lines;
  kiln::base::set_log([&](std::string_view line) { lines.emplace_back(line); });
  for (int k = 0; k < 2; ++k) CHECK(kiln::Array::full({1 << 20}, 7.0f).to_vector<float>()[5] == 7);
  kiln::base::set_log(nullptr);
  CHECK(lines == std::vector<std::string>{"KILN_HOST_POOL_MAX_BYTES is \"much\", which is no number of bytes; the bound is the "
                                          "default; write it as 0, 500M or 2G"});
}

TEST_CASE("KILN_HOST_POOL_MAX_BYTES limits the pool of the process") {
  CHECK(kiln::test::ChildProcess("in a process without a pool", {{"KILN_HOST_POOL_MAX_BYTES", "0"}}).wait() == 0);
  CHECK(kiln::test::ChildProcess("in a process whose limit is no number", {{"KILN_HOST_POOL_MAX_BYTES", "much"}}).wait() == 0);
}

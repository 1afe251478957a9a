// How many launches a call of reduceat is, counted by the emulated driver.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../unit/base/child_process.hpp"
#include "../unit/base/temporary_directory.hpp"
#include "kiln/kiln.hpp"
#include "machine.hpp"

using namespace kiln;

namespace {

/// Lines of the driver's log since the last question that begin so.
int calls_of(const std::string& name) {
  std::istringstream log(kiln_emulated::test::symbol<const char*()>(KILN_EMULATED_CUDA_LIBRARY, "kiln_fake_log")());
  int count = 0;
  for (std::string line; std::getline(log, line);) count += line.starts_with(name) ? 1 : 0;
  return count;
}
void forget_calls() {
  kiln_emulated::test::symbol<void()>(KILN_EMULATED_CUDA_LIBRARY, "kiln_fake_reset")();
}

std::vector<std::int64_t> equal_segments(std::int64_t count, std::int64_t length) {
  std::vector<std::int64_t> begins;
  for (std::int64_t i = 0; i < count; ++i) begins.push_back(i * length);
  return begins;
}

}  // namespace

TEST_CASE("helper process: reduceat on the emulated GPU" * doctest::skip()) {
  const Array x = to_device(Array::full({200, 600}, 1.0F), Device::best());
  const Array flat = x.reshape({120'000});
  const auto launches = [&](const Ufunc& ufunc, const Array& array, const std::vector<std::int64_t>& begins,
                            AccumulateOptions options, float expected) {
    const Array result = ufunc.reduceat(array, Array::from(begins), options);  // compiled
    CHECK(result.copy_to_host().to_vector<float>() == std::vector<float>(static_cast<std::size_t>(result.size()), expected));
    forget_calls();
    ufunc.reduceat(array, Array::from(begins), options);
    CHECK(calls_of("cuStreamSynchronize") == 0);
    return calls_of("cuLaunchKernel");
  };
  CHECK(launches(math::add, flat, equal_segments(40'000, 3), {}, 3) == 1);
  CHECK(launches(math::add, flat, equal_segments(1200, 100), {}, 100) == 1);
  CHECK(launches(math::subtract, flat, equal_segments(1200, 100), {}, -98) == 1);
  CHECK(launches(math::add, x, equal_segments(100, 6), {.axis = 1}, 6) == 1);
  CHECK(launches(math::add, x, equal_segments(10, 20), {.axis = 0}, 20) == 1);
  // Few: each as reduce would.
  CHECK(launches(math::add, x, equal_segments(2, 300), {.axis = 1}, 300) == 2);
}

TEST_CASE("emulator: all segments of reduceat are one launch, and nothing is waited for") {
  const kiln::test::TemporaryDirectory folder;
  const std::map<std::string, std::string> environment{{"KILN_CUDA", KILN_EMULATED_CUDA_LIBRARY},
                                                       {"KILN_NVRTC", KILN_EMULATED_NVRTC_LIBRARY},
                                                       {"KILN_DEVICE", "cuda"},
                                                       {"KILN_CACHE_READONLY_DIRS", ""},
                                                       {"KILN_CACHE_DIR", folder / "cache"}};
  CHECK(kiln::test::ChildProcess("helper process: reduceat on the emulated GPU", environment).wait() == 0);
}

// How many launches a call of reduceat is on a GPU, counted by a driver that runs none.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "../base/child_process.hpp"
#include "../device/gpu_compilers.hpp"
#include "base/dynamic_library.hpp"
#include "fake_cuda.hpp"
#include "kiln/array.hpp"
#include "kiln/math.hpp"
#include "kiln/stream.hpp"
#include "kiln/ufunc.hpp"
#include "test_libraries.hpp"

using namespace kiln;

namespace {

/// What is asked of the driver since it was last forgotten.
class Calls {
 public:
  Calls() {
    const std::string name = KILN_FAKE_CUDA_LIBRARY;
    const auto library = base::DynamicLibrary::open_first(std::span(&name, 1), base::Unload::never).library;
    log_ = library.function<decltype(&kiln_fake_log)>("kiln_fake_log");
    forget_ = library.function<decltype(&kiln_fake_reset)>("kiln_fake_reset");
  }
  void forget() const { forget_(); }
  /// Those whose line begins so.
  [[nodiscard]] int count(const std::string& name) const {
    std::istringstream log(log_());
    int found = 0;
    for (std::string line; std::getline(log, line);) found += line.starts_with(name) ? 1 : 0;
    return found;
  }

 private:
  decltype(&kiln_fake_log) log_;
  decltype(&kiln_fake_reset) forget_;
};

std::vector<std::int64_t> equal_segments(std::int64_t count, std::int64_t length) {
  std::vector<std::int64_t> begins;
  for (std::int64_t i = 0; i < count; ++i) begins.push_back(i * length);
  return begins;
}

}  // namespace

TEST_CASE("reduceat: all segments are one launch or two and nothing is waited for [child]" * doctest::skip()) {
  const Calls calls;
  const Array x = to_device(Array::full({200, 600}, 1.0F), Device::best());
  const Array flat = x.reshape({120'000});
  const auto launches = [&](const Ufunc& ufunc, const Array& array, const std::vector<std::int64_t>& begins,
                            const AccumulateOptions& options) {
    ufunc.reduceat(array, Array::from(begins), options);  // compiled
    calls.forget();
    ufunc.reduceat(array, Array::from(begins), options);
    CHECK(calls.count("cuStreamSynchronize") == 0);
    return calls.count("cuLaunchKernel");
  };
  CHECK(launches(math::add, flat, equal_segments(40'000, 3), {}) == 1);
  CHECK(launches(math::add, flat, equal_segments(1200, 100), {}) == 1);
  CHECK(launches(math::subtract, flat, equal_segments(1200, 100), {}) == 1);
  CHECK(launches(math::add, x, equal_segments(100, 6), {.axis = 1}) == 1);
  CHECK(launches(math::add, x, equal_segments(10, 20), {.axis = 0}) == 1);
  CHECK(launches(math::add, x, equal_segments(2, 300), {.axis = 1}) == 1);
  CHECK(launches(math::add, flat, equal_segments(10, 12'000), {}) == 1);
  // The parts of very long ones are joined by a second launch, of all segments.
  CHECK(launches(math::add, flat, {0, 10, 20'000, 20'003, 60'000}, {}) == 2);
  CHECK(launches(math::subtract, flat, {0, 60'000}, {}) == 1);
}

TEST_CASE("reduceat: all segments are one launch or two and nothing is waited for") {
  if (!test::have_compiler(DeviceKind::cuda)) return;
  const std::map<std::string, std::string> environment{
      {"KILN_CUDA", KILN_FAKE_CUDA_LIBRARY}, {"KILN_FAKE_ANY_IMAGE", "1"}, {"KILN_DEVICE", "cuda"}};
  CHECK(test::ChildProcess("reduceat: all segments are one launch or two and nothing is waited for [child]", environment)
            .wait() == 0);
}

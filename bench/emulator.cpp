// How fast libkiln-emulator.so runs PTX: instructions of threads in a second, on one emulated device, which has one thread.
// usage: kiln-emulator-bench [TARGET]      default: sm_90
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <kiln/kiln.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace kiln;
using Clock = std::chrono::steady_clock;
using Count = unsigned long long();

/// kilnEmulatorInstructions of the library that kiln has opened.
Count* counter() {
  void* const library = dlopen(KILN_EMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void* const found = library != nullptr ? dlsym(library, "kilnEmulatorInstructions") : nullptr;
  if (found == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<Count*>(found);
}

void measure(const char* what, const Device& device, Count* count, const std::function<void()>& work) {
  work();
  device.synchronize();
  std::vector<double> rates;
  double instructions = 0;
  for (int round = 0; round < 5; ++round) {
    const auto before = count();
    const auto start = Clock::now();
    work();
    device.synchronize();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    instructions = static_cast<double>(count() - before);
    rates.push_back(instructions / seconds / 1e6);
  }
  std::sort(rates.begin(), rates.end());
  std::printf("| %s | %.1f | %.1f | %.0f%% |\n", what, instructions / 1e6, rates[2],
              100 * (rates.back() - rates.front()) / rates[2]);
}

}  // namespace

int main(int argc, char** argv) try {
  const Device device = Device::emulated(argc > 1 ? argv[1] : "sm_90");
  Count* const count = counter();
  constexpr std::int64_t kElements = 1 << 20;
  std::vector<float> values(kElements);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1F + static_cast<float>(i % 1000) / 1000;
  const Array x = to_device(Array::from(values), device);
  const Array out = device_array_like(x);
  const Array one = device_array({}, DType::float32, device);
  std::vector<std::int32_t> starts(kElements / 64);
  for (std::size_t i = 0; i < starts.size(); ++i) starts[i] = static_cast<std::int32_t>(i + 1);
  const Array start = to_device(Array::from(starts), device);
  const Array steps = device_array_like(start);

  const Ufunc waves =
      vectorize({.name = "waves", .signatures = {"float32(float32 x)"}, .body = "return exp(x) * sin(x) / sqrt(x);"});
  const Ufunc collatz = vectorize({.name = "collatz", .signatures = {"int32(int32 n)"}, .body = R"(
    int32 steps = 0;
    for (int64 at = n; at != 1; ++steps) at = at & 1 ? 3 * at + 1 : at >> 1;
    return steps;)"});
  std::printf("| kernel on %s | million instructions | million a second | spread |\n| --- | --- | --- | --- |\n",
              to_string(device).c_str());
  measure("add, 2^20 float32", device, count, [&] { math::add(x, x, {.out = out}); });
  measure("exp(x) * sin(x) / sqrt(x), 2^20 float32", device, count, [&] { waves({x}, {.out = out}); });
  measure("add.reduce, 2^20 float32", device, count, [&] { math::add.reduce(x, {.out = one}); });
  measure("Collatz from 1 to 2^14", device, count, [&] { collatz({start}, {.out = steps}); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

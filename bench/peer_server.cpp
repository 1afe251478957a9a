// Times kiln for bench/peers.py: reads "OPERATION N THREADS SECONDS" lines, answers each with the median nanoseconds per
// element, so that kiln and its peers take turns in one run.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <string>
#include <tuple>

#include "operations.hpp"

int main() {
  using namespace kiln;
  using Clock = std::chrono::steady_clock;
  struct Prepared {
    std::vector<Array> inputs;
    Array out;
  };
  std::map<std::tuple<std::string, std::int64_t, int>, Prepared> prepared;
  std::string name;
  std::int64_t n = 0;
  int threads = 0;
  double seconds = 0;
  while (std::cin >> name >> n >> threads >> seconds) {
    const auto all = bench::operations();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& operation) { return operation.name == name; });
    if (found == all.end()) {
      std::cerr << "unknown operation " << name << "\n";
      return 1;
    }
    const Device device = Device::cpu({.threads = threads});
    Prepared& arrays = prepared[{name, n, threads}];
    if (!arrays.out) arrays = {bench::make_inputs(*found, n, device), to_device(Array::zeros({n}, found->dtype), device)};
    const auto args = bench::arguments(*found, arrays.inputs);
    const CallOptions options{.out = arrays.out};
    found->ufunc(std::span<const Arg>(args), options);
    std::vector<double> times;
    const auto start = Clock::now();
    while (times.size() < 5 || std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
      // Short calls are timed in groups, so that reading the clock does not show.
      const int group = static_cast<int>(std::max<std::int64_t>(1, 20'000 / n));
      const auto begin = Clock::now();
      for (int i = 0; i < group; ++i) found->ufunc(std::span<const Arg>(args), options);
      times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / group / static_cast<double>(n));
    }
    std::sort(times.begin(), times.end());
    std::cout << times[times.size() / 2] << std::endl;
  }
}

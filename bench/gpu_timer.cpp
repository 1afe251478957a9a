// Times kiln on every GPU found: bandwidth of kernels beside the device's own copy, small calls, compile and first-result
// times, methods, teams. Needs nothing but the library; prints a table. Sizes are divided by 2^SHIFT, to try it on a slow
// device.
//
//   kiln-gpu-timer [RESULT.json [SHIFT]]
//   kiln-gpu-timer --launches [RESULT.json]   what it costs to queue a call, beside the driver's own launch
//   kiln-gpu-timer --transfers [RESULT.json [SHIFT]]   copies over the link, chunked calls, device memory
//   kiln-gpu-timer --kernels                  the names of the twelve kernels that profilers look at
//   kiln-gpu-timer --run NAME|all [SHIFT]     queues it once and waits: for a profiler or a sanitizer
#include "gpu_report.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

#include "gpu_kernels.hpp"

namespace kiln::bench {
namespace {

constexpr std::int64_t kBytesEach = std::int64_t{256} << 20;

void time_bandwidth(Report& report, const Device& device, double copy) {
  for (const std::int64_t bytes_each : {std::int64_t{1} << 20, std::int64_t{32} << 20, kBytesEach}) {
    for (const GpuKernel& kernel : gpu_kernels()) {
      const GpuCall call = kernel.prepare(device, report.sized(bytes_each));
      const int batch = static_cast<int>(std::clamp(4e10 / call.bytes, 5.0, 500.0));
      const Timing timing = report.time(device, batch, call.run);
      const double rate = call.bytes / timing.median;
      // What fits in the device's cache has no business with the copy's bandwidth.
      report.row(to_string(device), std::string(kernel.name) + ", " + std::to_string(bytes_each >> 20) + " MiB each",
                 rate / 1e9, "GB/s", timing.spread, bytes_each == kBytesEach ? rate / copy : 0);
    }
  }
}

void time_layouts(Report& report, const Device& device, double copy) {
  const Ufunc add = vectorize("float32(float32 a, float32 b)", "return a + b;");
  const std::int64_t side = report.sized(16384, 2);
  const Array square = varied(device, {side, side}, DType::float32);
  const Array out = device_array({side, side}, DType::float32, device);
  const Array column = to_device(Array::full({side, 1}, 2.0F), device);
  const Array row = to_device(Array::full({side}, 2.0F), device);
  const Array wide = varied(device, {side, 2 * side}, DType::float32);
  const auto run = [&](const char* name, const Array& a, const Array& b, double bytes) {
    const Timing timing = report.time(device, 20, [&] { add({a, b}, {.out = out}); });
    report.row(to_string(device), name, bytes / timing.median / 1e9, "GB/s", timing.spread, bytes / timing.median / copy);
  };
  const double one = static_cast<double>(square.nbytes());
  run("add column, 16384^2", square, column, 2 * one);
  run("add row, 16384^2", square, row, 2 * one);
  run("add every other column, 16384^2", wide[{all, Slice{.step = 2}}], square, 4 * one);
}

void time_calls(Report& report, const Device& device) {
  const Ufunc saxpy = vectorize("float32(float32 a, float32 x, float32 y)", "return a * x + y;");
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{100'000}}) {
    const Array x = to_device(Array::full({n}, 1.0F), device);
    const Array out = device_array({n}, DType::float32, device);
    const Arg args[] = {2.0F, x, x};
    const CallOptions options{.out = out};
    const Timing timing = report.time(device, 2000, [&] { saxpy(std::span<const Arg>(args), options); });
    report.row(to_string(device), "call with out, n = " + std::to_string(n), timing.median * 1e6, "us", timing.spread);
    const Timing allocating = report.time(device, 2000, [&] { (void)saxpy(std::span<const Arg>(args), CallOptions{}); });
    report.row(to_string(device), "call allocating, n = " + std::to_string(n), allocating.median * 1e6, "us",
               allocating.spread);
  }
  const Array host = Array::full({1'000'000}, 1.0F);
  const Stream stream(device);
  const Timing round_trip = report.time(device, 10, [&] { (void)saxpy({2.0F, host, host}, {.stream = stream}); });
  report.row(to_string(device), "host arrays in and out, n = 1e6", round_trip.median * 1e6, "us", round_trip.spread);
}

void time_compiles(Report& report, const Device& device) {
  const Array x = to_device(Array::full({1000}, 1.0F), device);
  std::vector<double> times;
  for (int i = 0; i < 6; ++i) {
    const std::string salt = std::to_string(Clock::now().time_since_epoch().count());
    const auto start = Clock::now();
    const Ufunc fresh =
        vectorize("float32(float32 a, float32 b, float32 c)", "/* " + salt + " */ return sqrt(b * b - 4 * a * c);");
    (void)fresh(x, x, x);
    device.synchronize();
    times.push_back(1e3 * seconds_since(start));
    if (i == 0) report.row(to_string(device), "first result of the process, new kernel", times.back(), "ms", 0);
  }
  times.erase(times.begin());
  std::sort(times.begin(), times.end());
  report.row(to_string(device), "result of a further new kernel", times[2], "ms", (times.back() - times.front()) / times[2]);
}

void time_device(Report& report, const Device& device) {
  const DeviceInfo info = device.info();
  std::printf("%s: %s, %s, %d multiprocessors, %s\n", to_string(device).c_str(), info.name.c_str(), info.target.c_str(),
              info.multiprocessors, info.runtime.c_str());
  time_compiles(report, device);
  const Array from = varied(device, {report.sized(kBytesEach) / 4}, DType::float32);
  const Timing timing = report.time(device, 50, [&] { (void)from.copy(); });
  const double copy = 2.0 * static_cast<double>(from.nbytes()) / timing.median;
  const double peak = peak_of_memory(device);
  report.row(to_string(device), "the device's own copy, 256 MiB", copy / 1e9, "GB/s", timing.spread, peak > 0 ? copy / peak : 0,
             "the memory's peak");
  report.set_peak(peak / copy);
  time_bandwidth(report, device, copy);
  time_layouts(report, device, copy);
  time_methods(report, device, copy);
  time_rows(report, device, copy);
  time_calls(report, device);
}

/// Of every GPU; 1 where there is none.
int on_gpus(const std::function<void(const Device&)>& work) {
  int found = 0;
  for (const Device& device : Device::all()) {
    if (device.is_cpu()) continue;
    ++found;
    work(device);
  }
  if (found > 0) return 0;
  std::printf("no GPU found\n");
  return 1;
}

int run_once(const char* name, int shift) {
  bool known = false;
  const int status = on_gpus([&](const Device& device) {
    for (const GpuKernel& kernel : gpu_kernels()) {
      if (!kernel.profiled || (std::strcmp(name, "all") != 0 && std::strcmp(name, kernel.name) != 0)) continue;
      known = true;
      kernel.prepare(device, kBytesEach >> shift).run();
      device.synchronize();
      std::printf("ran %s on %s\n", kernel.name, to_string(device).c_str());
    }
  });
  if (status != 0 || known) return status;
  std::fprintf(stderr, "no kernel is named %s: kiln-gpu-timer --kernels lists them\n", name);
  return 2;
}

int run(std::span<char*> arguments) {
  const auto argument = [&](std::size_t at) -> const char* { return at < arguments.size() ? arguments[at] : nullptr; };
  const auto shift = [&](std::size_t at) { return argument(at) != nullptr ? std::atoi(argument(at)) : 0; };
  const std::string mode = argument(1) != nullptr ? argument(1) : "";
  if (mode == "--kernels") {
    for (const GpuKernel& kernel : gpu_kernels()) {
      if (kernel.profiled) std::printf("%s\n", kernel.name);
    }
    return 0;
  }
  if (mode == "--run" && argument(2) != nullptr) return run_once(argument(2), shift(3));
  if (mode == "--launches") {
    Report report(argument(2), 0);
    return on_gpus([&](const Device& device) { time_launches(report, device); });
  }
  if (mode == "--transfers") {
    Report report(argument(2), shift(3));
    return on_gpus([&](const Device& device) { time_transfers(report, device); });
  }
  if (mode.starts_with("-")) {
    std::fprintf(stderr,
                 "usage: kiln-gpu-timer [RESULT.json [SHIFT]] | --launches [RESULT.json] | --transfers [RESULT.json [SHIFT]] | "
                 "--kernels | --run "
                 "NAME|all [SHIFT]\n");
    return 2;
  }
  Report report(argument(1), shift(2));
  return on_gpus([&](const Device& device) { time_device(report, device); });
}

}  // namespace
}  // namespace kiln::bench

int main(int argc, char** argv) try {
  return kiln::bench::run({argv, static_cast<std::size_t>(argc)});
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

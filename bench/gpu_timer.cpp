// Times kiln on every GPU found: bandwidth of elementwise kernels beside the device's own copy, small calls, compile and
// first-result times, methods, teams. Needs nothing but the library; prints a table.
// usage: kiln-gpu-timer [RESULT.json [SHIFT]]      sizes are divided by 2^SHIFT, to try it on a slow device
#include "gpu_report.hpp"

#include <algorithm>
#include <complex>
#include <cstdlib>

namespace kiln::bench {
namespace {

struct Case {
  std::string name;
  Ufunc ufunc;
  std::vector<DType> inputs;
  DType output;
};

void time_bandwidth(Report& report, const Device& device, double copy) {
  const auto f = [](const char* name, const char* signature, const char* body) {
    return vectorize({.name = name, .signatures = {signature}, .body = body});
  };
  const auto f32 = DType::float32;
  const std::vector<Case> cases = {
      {"copy float32", f("copy", "float32(float32 x)", "return x;"), {f32}, f32},
      {"saxpy float32 (scalar a)", f("saxpy", "float32(float32 x, float32 y)", "return 2.5f * x + y;"), {f32, f32}, f32},
      {"discriminant float32",
       f("discriminant", "float32(float32 a, float32 b, float32 c)", "return sqrt(b * b - 4 * a * c);"),
       {f32, f32, f32},
       f32},
      {"gaussian float32",
       f("gaussian", "float32(float32 x)", "float32 z = (x - 0.5f) / 1.5f; return exp(-0.5f * z * z) / 3.76f;"),
       {f32},
       f32},
      {"add float64",
       f("add", "float64(float64 a, float64 b)", "return a + b;"),
       {DType::float64, DType::float64},
       DType::float64},
      {"add float16",
       f("add", "float16(float16 a, float16 b)", "return a + b;"),
       {DType::float16, DType::float16},
       DType::float16},
      {"add bfloat16",
       f("add", "bfloat16(bfloat16 a, bfloat16 b)", "return a + b;"),
       {DType::bfloat16, DType::bfloat16},
       DType::bfloat16},
      {"add int8", f("add", "int8(int8 a, int8 b)", "return a + b;"), {DType::int8, DType::int8}, DType::int8},
      {"multiply complex64",
       f("multiply", "complex64(complex64 a, complex64 b)", "return a * b;"),
       {DType::complex64, DType::complex64},
       DType::complex64},
      {"less float32 to bool", f("less", "bool(float32 a, float32 b)", "return a < b;"), {f32, f32}, DType::bool_},
  };
  for (const std::int64_t bytes_each : {std::int64_t{1} << 20, std::int64_t{64} << 20, std::int64_t{1} << 30}) {
    for (const Case& item : cases) {
      const std::int64_t n = report.sized(bytes_each) / static_cast<std::int64_t>(itemsize(item.inputs[0]));
      std::vector<Array> arrays;
      std::vector<Arg> args;
      arrays.reserve(item.inputs.size());
      for (const DType dtype : item.inputs) {
        arrays.push_back(to_device(Array::full({n}, 2).astype(dtype), device));
        args.emplace_back(arrays.back());
      }
      const Array out = device_array({n}, item.output, device);
      const CallOptions options{.out = out};
      double bytes = static_cast<double>(out.nbytes());
      for (const Array& array : arrays) bytes += static_cast<double>(array.nbytes());
      const int batch = static_cast<int>(std::clamp(4e10 / bytes, 5.0, 500.0));
      const Timing timing = time_queued(device, batch, [&] { item.ufunc(std::span<const Arg>(args), options); });
      const double rate = bytes / timing.median;
      report.row(to_string(device), item.name + ", " + std::to_string(bytes_each >> 20) + " MiB each", rate / 1e9, "GB/s",
                 timing.spread, bytes_each >= (std::int64_t{1} << 30) ? rate / copy : 0);
    }
  }
}

void time_layouts(Report& report, const Device& device, double copy) {
  const Ufunc add = vectorize("float32(float32 a, float32 b)", "return a + b;");
  const std::int64_t side = report.sized(16384, 2);
  const Array square = to_device(Array::full({side, side}, 1.5F), device);
  const Array out = device_array({side, side}, DType::float32, device);
  const Array column = to_device(Array::full({side, 1}, 2.0F), device);
  const Array row = to_device(Array::full({side}, 2.0F), device);
  const Array wide = to_device(Array::full({side, 2 * side}, 1.0F), device);
  const auto run = [&](const char* name, const Array& a, const Array& b, double bytes) {
    const Timing timing = time_queued(device, 20, [&] { add({a, b}, {.out = out}); });
    report.row(to_string(device), name, bytes / timing.median / 1e9, "GB/s", timing.spread, bytes / timing.median / copy);
  };
  const double one = static_cast<double>(square.nbytes());
  run("add column, 16384^2", square, column, 2 * one);
  run("add row, 16384^2", square, row, 2 * one);
  run("add transposed, 16384^2", square.transpose(), square, 3 * one);
  run("add every other column, 16384^2", wide[{all, Slice{.step = 2}}], square, 4 * one);
}

void time_calls(Report& report, const Device& device) {
  const Ufunc saxpy = vectorize("float32(float32 a, float32 x, float32 y)", "return a * x + y;");
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{100'000}}) {
    const Array x = to_device(Array::full({n}, 1.0F), device);
    const Array out = device_array({n}, DType::float32, device);
    const Arg args[] = {2.0F, x, x};
    const CallOptions options{.out = out};
    const Timing timing = time_queued(device, 2000, [&] { saxpy(std::span<const Arg>(args), options); });
    report.row(to_string(device), "call with out, n = " + std::to_string(n), timing.median * 1e6, "us", timing.spread, 0);
    const Timing allocating = time_queued(device, 2000, [&] { (void)saxpy(std::span<const Arg>(args), CallOptions{}); });
    report.row(to_string(device), "call allocating, n = " + std::to_string(n), allocating.median * 1e6, "us", allocating.spread,
               0);
  }
  const Array host = Array::full({1'000'000}, 1.0F);
  const Stream stream(device);
  const Timing round_trip = time_queued(device, 10, [&] { (void)saxpy({2.0F, host, host}, {.stream = stream}); });
  report.row(to_string(device), "host arrays in and out, n = 1e6", round_trip.median * 1e6, "us", round_trip.spread, 0);
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
    if (i == 0) report.row(to_string(device), "first result of the process, new kernel", times.back(), "ms", 0, 0);
  }
  times.erase(times.begin());
  std::sort(times.begin(), times.end());
  report.row(to_string(device), "result of a further new kernel", times[2], "ms", (times.back() - times.front()) / times[2], 0);
}

int time_all(Report& report) {
  int found = 0;
  for (const Device& device : Device::all()) {
    if (device.is_cpu()) continue;
    ++found;
    const DeviceInfo info = device.info();
    std::printf("%s: %s, %s, %d multiprocessors, %s\n", to_string(device).c_str(), info.name.c_str(), info.target.c_str(),
                info.multiprocessors, info.runtime.c_str());
    time_compiles(report, device);
    const std::int64_t n = report.sized(std::int64_t{1} << 30);
    const Array from = to_device(Array::zeros({n}, DType::uint8), device);
    const Timing timing = time_queued(device, 20, [&] { (void)from.copy(); });
    const double copy = 2.0 * static_cast<double>(n) / timing.median;
    report.row(to_string(device), "the device's own copy, 1 GiB", copy / 1e9, "GB/s", timing.spread, 0);
    time_bandwidth(report, device, copy);
    time_layouts(report, device, copy);
    time_methods(report, device, copy);
    time_calls(report, device);
  }
  if (found == 0) {
    std::printf("no GPU found\n");
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace kiln::bench

int main(int argc, char** argv) {
  kiln::bench::Report report(argc > 1 ? argv[1] : nullptr, argc > 2 ? std::atoi(argv[2]) : 0);
  return kiln::bench::time_all(report);
}

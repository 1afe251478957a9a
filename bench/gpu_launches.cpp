// What kiln's calls cost beside cuLaunchKernel. The driver is opened at run time, as kiln opens it: nothing is linked.
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

#include "gpu_report.hpp"

namespace kiln::bench {
namespace {

class Driver {
 public:
  using Handle = void*;

  explicit Driver(int ordinal) {
    const char* const named = std::getenv("KILN_CUDA");
    library_ = dlopen(named != nullptr && *named != '\0' ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    Handle context = nullptr;
    check(symbol<int(unsigned)>("cuInit")(0), "cuInit");
    check(symbol<int(int*, int)>("cuDeviceGet")(&device_, ordinal), "cuDeviceGet");
    check(symbol<int(Handle*, int)>("cuDevicePrimaryCtxRetain")(&context, device_), "cuDevicePrimaryCtxRetain");
    check(symbol<int(Handle)>("cuCtxPushCurrent_v2")(context), "cuCtxPushCurrent_v2");
  }

  /// A CUdevice_attribute; 0 where the driver does not know it.
  [[nodiscard]] double attribute(int which) const {
    int value = 0;
    return symbol<int(int*, int, int)>("cuDeviceGetAttribute")(&value, which, device_) == 0 ? value : 0;
  }

  /// The one kernel of an image that kiln compiled.
  [[nodiscard]] Handle kernel(const std::string& code) const {
    Handle module = nullptr;
    Handle function = nullptr;
    check(symbol<int(Handle*, const void*, unsigned, int*, void**)>("cuModuleLoadDataEx")(&module, code.c_str(), 0, nullptr,
                                                                                          nullptr),
          "cuModuleLoadDataEx");
    check(symbol<int(Handle*, Handle, const char*)>("cuModuleGetFunction")(&function, module, "kiln_kernel"),
          "cuModuleGetFunction");
    return function;
  }

  using Launch = int(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**);
  [[nodiscard]] Launch* launch() const { return symbol<Launch>("cuLaunchKernel"); }

 private:
  template <class F>
  [[nodiscard]] F* symbol(const char* name) const {
    void* const found = dlsym(library_, name);
    if (found == nullptr) throw std::runtime_error(std::string("the driver has no ") + name);
    return reinterpret_cast<F*>(found);
  }
  static void check(int status, const char* call) {
    if (status != 0) throw std::runtime_error(std::string(call) + " gives " + std::to_string(status));
  }

  void* library_ = nullptr;
  int device_ = 0;
};

/// Seconds of the host to queue one `work`; what is queued is waited for between the rounds, unmeasured, and is so little
/// that the driver's queue never fills up.
Timing time_queueing(const Device& device, const std::function<void()>& work, int batch = 200) {
  for (int i = 0; i < batch; ++i) work();
  device.synchronize();
  std::vector<double> times;
  for (int round = 0; round < 21; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < batch; ++i) work();
    times.push_back(seconds_since(start) / batch);
    device.synchronize();
  }
  return timing_of(std::move(times));
}

}  // namespace

void time_launches(Report& report, const Device& device) {
  if (device.kind() != DeviceKind::cuda) {
    std::printf("%s: the driver's own launch is timed on CUDA's devices alone\n", to_string(device).c_str());
    return;
  }
  const Ufunc saxpy =
      vectorize({.name = "saxpy", .signatures = {"float32(float32 x, float32 y)"}, .body = "return 2.5f * x + y;"});
  const RawKernel raw = kernel({.name = "saxpy",
                                .signature = "void(const float32* x, const float32* y, float32* out)",
                                .body = "out[thread.x] = 2.5f * x[thread.x] + y[thread.x];"});
  const RawKernel empty = kernel({.name = "empty", .signature = "void(int32 n)", .body = "(void)n; (void)thread.x;"});
  const Array x = to_device(Array::full({1}, 2.0F), device);
  const Array y = to_device(Array::full({1}, 1.0F), device);
  const Array out = to_device(Array::full({1}, 0.0F), device);
  const CallOptions options{.out = out};
  const LaunchOptions one{.grid = {1}, .block = {1}};

  const Driver driver(device.index());
  auto* const launch = driver.launch();
  std::array<std::uintptr_t, 3> addresses{x.native(), y.native(), out.native()};
  unsigned n = 1;
  const auto expect_result = [&](const char* of) {
    device.synchronize();
    if (out.copy_to_host().as<float>()[0] != 6.0F) throw std::runtime_error(std::string(of) + " gives another result");
    out.fill(0.0F);
    device.synchronize();
  };
  const auto bare = [&](void* function, unsigned threads, void** parameters) {
    if (launch(function, 1, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr) != 0)
      throw std::runtime_error("cuLaunchKernel failed");
  };
  const auto row = [&](const char* what, const Timing& timing, const Timing* beside) {
    report.row(to_string(device), what, timing.median * 1e9, "ns", timing.spread,
               beside != nullptr ? timing.median / beside->median : 0, "cuLaunchKernel");
  };

  std::array<void*, 1> nothing{&n};
  void* const empty_function = driver.kernel(empty.compiled(one, 1).code);
  const Timing of_empty = time_queueing(device, [&] { bare(empty_function, 1, nothing.data()); });
  row("cuLaunchKernel, an empty kernel", of_empty, nullptr);

  // kernels-src/elementwise/abi.hpp: the flat form.
  std::array<void*, 4> flat{&n, &addresses[0], &addresses[1], &addresses[2]};
  void* const saxpy_function = driver.kernel(saxpy.compiled({x, y}, options).code);
  const Timing of_driver = time_queueing(device, [&] { bare(saxpy_function, 64, flat.data()); });
  expect_result("cuLaunchKernel of a ufunc's kernel");
  row("cuLaunchKernel, a ufunc's kernel, 1 element", of_driver, nullptr);
  const Timing of_ufunc = time_queueing(device, [&] { saxpy({x, y}, options); });
  expect_result("the ufunc");
  row("the ufunc's call, 1 element", of_ufunc, &of_driver);

  constexpr int kCalls = 20;
  const auto calls = [&] {
    for (int i = 0; i < kCalls; ++i) saxpy({x, y}, options);
  };
  const Graph graph = capture({}, calls);
  const Timing of_calls = time_queueing(device, calls, 200 / kCalls);
  row("20 of the ufunc's calls, 1 element", of_calls, nullptr);
  const Timing of_graph = time_queueing(device, [&] { graph.launch(); }, 200 / kCalls);
  expect_result("the graph");
  report.row(to_string(device), "the same 20 calls as a graph", of_graph.median * 1e9, "ns", of_graph.spread,
             of_graph.median / of_calls.median, "20 calls");

  void* const raw_function = driver.kernel(raw.compiled(one, x, y, out).code);
  const Timing of_raw_driver = time_queueing(device, [&] { bare(raw_function, 1, flat.data() + 1); });
  expect_result("cuLaunchKernel of a raw kernel");
  row("cuLaunchKernel, a raw kernel, 1 thread", of_raw_driver, nullptr);
  const Timing of_raw = time_queueing(device, [&] { raw(one, x, y, out); });
  expect_result("the raw kernel");
  row("the raw kernel's launch, 1 thread", of_raw, &of_raw_driver);
}

double peak_of_memory(const Device& device) {
  if (device.kind() != DeviceKind::cuda) return 0;
  constexpr int kMemoryClockKhz = 36, kMemoryBusBits = 37;
  const Driver driver(device.index());
  return 2 * driver.attribute(kMemoryClockKhz) * 1e3 * driver.attribute(kMemoryBusBits) / 8;  // two transfers a clock
}

}  // namespace kiln::bench

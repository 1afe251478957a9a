// CUB's own device-wide algorithms on the rows of bench/gpu_rows.cpp and gpu_methods.cpp that have one, by the same names: what
// is as fast as possible on the device that is there. scripts/gpu-verify.sh compiles it with nvcc where that is installed.
//
//   cub-peer RESULT.json [SHIFT]    sizes are divided by 2^SHIFT
#include <cuda_fp16.h>
#include <cub/cub.cuh>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

template <class T>
T* device_array(std::int64_t n) {
  T* made = nullptr;
  check(cudaMalloc(&made, static_cast<std::size_t>(n) * sizeof(T)), "cudaMalloc");
  check(cudaMemset(made, 1, static_cast<std::size_t>(n) * sizeof(T)), "cudaMemset");
  return made;
}

std::int64_t shifted(std::int64_t n, int shift) {
  return std::max<std::int64_t>(n >> shift, 1);
}

class Report {
 public:
  explicit Report(const char* path) : file_(std::fopen(path, "w")) {
    if (file_ == nullptr) std::exit(2);
    std::fputs("[", file_);
  }
  ~Report() {
    std::fputs("\n]\n", file_);
    std::fclose(file_);
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  /// `call` is CUB's: asked for its temporary memory first, then called with that. GB/s of so many bytes; without,
  /// microseconds.
  void row(const std::string& what, double bytes, const std::function<cudaError_t(void*, std::size_t&)>& call) {
    std::size_t size = 0;
    check(call(nullptr, size), what.c_str());
    void* memory = nullptr;
    check(cudaMalloc(&memory, std::max<std::size_t>(size, 1)), "cudaMalloc");
    constexpr int kRounds = 9, kBatch = 10;
    check(call(memory, size), what.c_str());
    check(cudaDeviceSynchronize(), what.c_str());
    std::vector<double> times;
    for (int round = 0; round < kRounds; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < kBatch; ++i) check(call(memory, size), what.c_str());
      check(cudaDeviceSynchronize(), what.c_str());
      times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / kBatch);
    }
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    const double value = bytes > 0 ? bytes / median / 1e9 : median * 1e6;
    const char* const unit = bytes > 0 ? "GB/s" : "us";
    std::fprintf(file_, "%s\n{\"what\": \"%s\", \"value\": %.3f, \"unit\": \"%s\", \"spread\": %.4f}", first_ ? "" : ",",
                 what.c_str(), value, unit, (times.back() - times.front()) / median);
    std::fflush(file_);
    std::printf("%-48s %12.3f %s\n", what.c_str(), value, unit);
    first_ = false;
    check(cudaFree(memory), "cudaFree");
  }

 private:
  std::FILE* file_;
  bool first_ = true;
};

struct add {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: cub-peer RESULT.json [SHIFT]\n");
    return 2;
  }
  const int shift = count > 2 ? std::atoi(arguments[2]) : 0;
  Report report(arguments[1]);
  const std::int64_t most = shifted(std::int64_t{1} << 26, shift);
  const auto* const x = device_array<float>(most);
  auto* const y = device_array<float>(most);
  const double bytes = 4.0 * static_cast<double>(most);

  for (const auto& [name, all] : {std::pair{"1e6", 1'000'000}, {"4e6", 4'000'000}, {"16e6", 16'000'000}}) {
    const std::int64_t n = shifted(all, shift);
    report.row(std::string("sum of ") + name + " float32", 4.0 * static_cast<double>(n), [=](void* memory, std::size_t& size) {
      return cub::DeviceReduce::Sum(memory, size, x, y, static_cast<int>(n));
    });
  }
  report.row("sum, 256 MiB each", bytes, [=](void* memory, std::size_t& size) {
    return cub::DeviceReduce::Sum(memory, size, x, y, static_cast<int>(most));
  });
  report.row("cumsum, 256 MiB each", 2 * bytes, [=](void* memory, std::size_t& size) {
    return cub::DeviceScan::InclusiveSum(memory, size, x, y, static_cast<int>(most));
  });
  report.row("cumulative sum of 2^26 int32", 2 * bytes, [=](void* memory, std::size_t& size) {
    return cub::DeviceScan::InclusiveSum(memory, size, reinterpret_cast<const int*>(x), reinterpret_cast<int*>(y),
                                         static_cast<int>(most));
  });
  auto* const place = device_array<std::int64_t>(1);
  report.row("argmax of 2^26 float32", bytes,
             [=](void* memory, std::size_t& size) { return cub::DeviceReduce::ArgMax(memory, size, x, y, place, most); });
  for (const std::int64_t length : {10, 100}) {
    const std::int64_t segments = shifted(10'000'000, shift) / length;
    std::vector<int> begins;
    for (std::int64_t i = 0; i <= segments; ++i) begins.push_back(static_cast<int>(i * length));
    int* const places = device_array<int>(segments + 1);
    check(cudaMemcpy(places, begins.data(), begins.size() * sizeof(int), cudaMemcpyHostToDevice), "cudaMemcpy");
    report.row("reduceat, 1e7 float32 in segments of " + std::to_string(length), 0, [=](void* memory, std::size_t& size) {
      return cub::DeviceSegmentedReduce::Sum(memory, size, x, y, static_cast<int>(segments), places, places + 1);
    });
  }
  report.row("copy, 256 MiB each", 2 * bytes, [=](void*, std::size_t& size) {
    size = 1;
    return cub::DeviceTransform::Transform(cuda::std::make_tuple(x), y, most, [] __device__(float a) { return a; });
  });
  report.row("add_float16, 256 MiB each", 3 * bytes, [=](void*, std::size_t& size) {
    size = 1;
    const auto* const a = reinterpret_cast<const __half*>(x);
    return cub::DeviceTransform::Transform(cuda::std::make_tuple(a, a), reinterpret_cast<__half*>(y), 2 * most, add{});
  });
  const std::int64_t values = 4 * most;
  int* const bins = device_array<int>(256);
  report.row("histogram of 2^28 uint8", static_cast<double>(values), [=](void* memory, std::size_t& size) {
    return cub::DeviceHistogram::HistogramEven(memory, size, reinterpret_cast<const std::uint8_t*>(x), bins, 257, 0, 256,
                                               static_cast<int>(values));
  });
}

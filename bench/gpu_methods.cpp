// Methods of ufuncs, and teams of generalized ones, on a GPU.
#include "gpu_kernels.hpp"
#include "gpu_report.hpp"

namespace kiln::bench {
namespace {

void time_reductions(Report& report, const Device& device, double copy) {
  const std::int64_t side = report.sized(16384, 2);
  const Array square = varied(device, {side, side}, DType::float32);
  const auto run = [&](const char* name, double bytes, const std::function<void()>& work) {
    const Timing timing = report.time(device, 20, work);
    report.row(to_string(device), name, bytes / timing.median / 1e9, "GB/s", timing.spread, bytes / timing.median / copy);
  };
  const auto bytes = static_cast<double>(square.nbytes());
  const Array many = device_array({side}, DType::float32, device);
  run("sum along axis 1, 16384^2", bytes, [&] { math::add.reduce(square, {.axis = 1, .out = many}); });
  const Array rows = device_array_like(square);
  run("cumulative sum along axis 0, 16384^2", 2 * bytes, [&] { math::add.accumulate(square, {.axis = 0, .out = rows}); });
  run("cumulative sum along axis 1, 16384^2", 2 * bytes, [&] { math::add.accumulate(square, {.axis = 1, .out = rows}); });
}

/// reduceat over 1e7 float32 in segments of one length, indices of the host and all: bandwidth is of what is read.
void time_segments(Report& report, const Device& device, double copy) {
  const std::int64_t n = report.sized(10'000'000);
  const Array x = varied(device, {n}, DType::float32);
  for (const std::int64_t length : {100, 10}) {
    const std::int64_t segments = n / length;
    std::vector<std::int64_t> begins;
    for (std::int64_t i = 0; i < segments; ++i) begins.push_back(length * i);
    const Array indices = Array::from(begins);
    const Array out = device_array({segments}, DType::float32, device);
    const Timing timing = report.time(device, 20, [&] { math::add.reduceat(x, indices, {.out = out}); });
    const std::string what = "reduceat, 1e7 float32 in segments of " + std::to_string(length);
    const double rate = static_cast<double>(x.nbytes()) / timing.median;
    report.row(to_string(device), what, timing.median * 1e6, "us", timing.spread, rate / copy);
  }
}

/// add.at with random indices of the device: of each index a read, and of each element an atomic addition.
void time_scatter(Report& report, const Device& device) {
  const std::int64_t n = report.sized(10'000'000);
  for (const std::int64_t bins : {std::int64_t{1000}, n}) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(n));
    std::uint64_t state = 1;
    for (std::int64_t& index : indices) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      index = static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(bins));
    }
    const Array places = to_device(Array::from(indices), device);
    const Array target = to_device(Array::zeros({bins}, DType::float32), device);
    const Timing timing = report.time(device, 20, [&] { math::add.at(target, places, 1.0F); });
    report.row(to_string(device), "add.at, 1e7 to " + std::to_string(bins) + " float32", timing.median * 1e6, "us",
               timing.spread);
  }
}

/// Sums of rows by a block each: by a generalized ufunc with a team, and by a kernel that names threads and blocks itself.
void time_teams(Report& report, const Device& device, double copy) {
  const Gufunc team = guvectorize({.name = "row_sum",
                                   .layout = "(n)->()",
                                   .signatures = {"void(float32[:] x, float32 r)"},
                                   .group = "256",
                                   .body = "float32 s = 0; for (index i = lane; i < n; i += lanes) s += x(i);"
                                           "s = team_sum(s); if (lane == 0) r = s;"});
  const RawKernel by_hand =
      kernel({.name = "row_sum_by_hand", .signature = "void(const float32* x, int64 n, float32[:] r)", .body = R"(
    KILN_SHARED float32 cells[256];
    float32 s = 0;
    for (index i = thread.x; i < n; i += block_size.x) s += x[block.x * n + i];
    cells[thread.x] = s;
    barrier();
    for (uint32 d = 128; d > 0; d /= 2) {
      if (thread.x < d) cells[thread.x] += cells[thread.x + d];
      barrier();
    }
    if (thread.x == 0) r[block.x] = cells[0];)"});
  for (const std::int64_t n : {std::int64_t{1024}, std::int64_t{16384}}) {
    const std::int64_t items = report.sized((std::int64_t{1} << 28) / n);
    const Array x = varied(device, {items, n}, DType::float32);
    const Array out = device_array({items}, DType::float32, device);
    const auto bytes = static_cast<double>(x.nbytes());
    const auto run = [&](const std::string& name, const std::function<void()>& work) {
      const Timing timing = report.time(device, 20, work);
      report.row(to_string(device), name + " of " + std::to_string(n), bytes / timing.median / 1e9, "GB/s", timing.spread,
                 bytes / timing.median / copy);
    };
    run("rows summed by teams", [&] { team({x}, {.out = out}); });
    run("rows summed by a kernel by hand", [&] { by_hand(LaunchOptions{.grid = {items}, .block = {256}}, x, n, out); });
  }
}

/// Transforms by the vendor's library: bandwidth is of what is read and written, beside the device's own copy.
void time_transforms(Report& report, const Device& device, double copy) {
  const auto run = [&](const std::string& name, const Shape& shape,
                       const std::function<void(const Array&, const Array&)>& work) {
    const Array in = to_device(Array::full(shape, std::complex<float>(1, 0)), device);
    const Array out = device_array_like(in);
    const auto bytes = static_cast<double>(2 * in.nbytes());
    const Timing timing = report.time(device, 20, [&] { work(in, out); });
    report.row(to_string(device), name, bytes / timing.median / 1e9, "GB/s", timing.spread, bytes / timing.median / copy);
  };
  try {
    run("fft, 2^24 complex64", {report.sized(std::int64_t{1} << 24)},
        [](const Array& in, const Array& out) { fft::fft(in, {.out = out}); });
  } catch (const DeviceError&) {
    return;  // without the library; the suite says so
  }
  const std::int64_t rows = report.sized(16384);
  run("fft of rows of 1024 complex64", {rows, 1024}, [](const Array& in, const Array& out) { fft::fft(in, {.out = out}); });
  run("ifft of rows of 1024 complex64", {rows, 1024}, [](const Array& in, const Array& out) { fft::ifft(in, {.out = out}); });
  const std::int64_t side = report.sized(4096, 2);
  run("fft2 in place, 4096^2 complex64", {side, side}, [](const Array& in, const Array&) { fft::fft2(in, {.out = in}); });
}

}  // namespace

void time_methods(Report& report, const Device& device, double copy) {
  time_reductions(report, device, copy);
  time_segments(report, device, copy);
  time_scatter(report, device);
  time_teams(report, device, copy);
  time_transforms(report, device, copy);
}

}  // namespace kiln::bench

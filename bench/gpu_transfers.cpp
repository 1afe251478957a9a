// Transfers and chunked calls on a GPU, beside the link's own speed; device memory's own cost.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "gpu_report.hpp"

namespace kiln::bench {
namespace {

/// Bytes of a second.
double rate(double bytes, const Timing& timing) {
  return bytes / timing.median;
}

}  // namespace

void time_transfers(Report& report, const Device& device) {
  const std::string name = to_string(device);
  const std::int64_t count = report.sized(100'000'000);
  const double bytes = 4.0 * static_cast<double>(count);
  const Ufunc discriminant = vectorize("float32 disc(float32 a, float32 b, float32 c) = sqrt(b * b - 4 * a * c)");
  const Stream stream(device);
  const Array on_device = device_array({count}, DType::float32, device);
  const Array locked = pinned({count}, DType::float32, Order::c, device);
  const Array host = Array::full({count}, 0.5F);
  const auto gigabytes = [&](const char* what, double moved, const Timing& timing, double beside = 0,
                             const char* of = "the link") {
    report.row(name, what, rate(moved, timing) / 1e9, "GB/s", timing.spread, beside > 0 ? rate(moved, timing) / beside : 0, of);
  };

  // The link: page-locked memory, one copy of all.
  const Timing in = report.time(device, 4, [&] {
    static_cast<void>(to_device(locked, device, {.stream = stream}));
    stream.synchronize();
  });
  gigabytes("page-locked memory to the device", bytes, in);
  const Timing back = report.time(device, 4, [&] {
    on_device.copy_to_host(locked, {.stream = stream});
    stream.synchronize();
  });
  gigabytes("the device to page-locked memory", bytes, back);
  const Timing plain_in = report.time(device, 2, [&] { static_cast<void>(to_device(host, device)); });
  gigabytes("ordinary memory to the device", bytes, plain_in, rate(bytes, in));
  const Timing plain_back = report.time(device, 2, [&] { on_device.copy_to_host(host); });
  gigabytes("the device to ordinary memory", bytes, plain_back, rate(bytes, back));

  // Three arrays in, one back: the copies in take longer than those back.
  const double link = rate(bytes, in);
  const auto chunks = [&](const char* what, const Array& a, const Array& b, const Array& c, const Array& out) {
    const auto in_chunks = chunked(discriminant, {.devices = {device}});
    reset_memory_peak(device);
    const std::int64_t before = memory_stats(device).used;
    const Timing timing = report.time(device, 1, [&] { in_chunks(a, b, c, {.out = out}); });
    gigabytes(what, 3 * bytes, timing, link, "the link");
    return static_cast<double>(memory_stats(device).peak - before);
  };
  const Array ones[] = {Array::full({count}, 1.0F), Array::full({count}, 3.0F), Array::full({count}, 1.5F)};
  const Array out = Array::zeros({count}, DType::float32);
  const double peak = chunks("chunked discriminant, ordinary memory, copies in", ones[0], ones[1], ones[2], out);
  report.row(name, "most device memory meanwhile", peak / 1048576, "MiB", 0, peak / (192 << 20), "192 MiB");
  {
    const HostRegistration registered = register_host({ones[0], ones[1], ones[2], out}, device);
    chunks("chunked discriminant, registered memory, copies in", ones[0], ones[1], ones[2], out);
  }
  const Timing whole = report.time(device, 1, [&] { discriminant({ones[0], ones[1], ones[2]}, {.out = out}); });
  gigabytes("the whole call, ordinary memory, copies in", 3 * bytes, whole, link);
  const Timing streamed =
      report.time(device, 1, [&] { discriminant({ones[0], ones[1], ones[2]}, {.out = out, .stream = stream}); });
  gigabytes("the whole call on a stream, copies in", 3 * bytes, streamed, link);

  for (std::int64_t i = 0; i < count; i += 9973) {
    if (out.as<float>()[i] != std::sqrt(3.0F)) throw std::runtime_error("the call on a stream gives another result");
  }

  const auto start = Clock::now();
  {
    const HostRegistration registered = register_host({ones[0]}, device);
  }
  report.row(name, "registering and deregistering 400 MB", 1e3 * seconds_since(start), "ms", 0);
  const Timing memory =
      report.time(device, 1000, [&] { static_cast<void>(device_array({1'000'000}, DType::float32, device)); });
  report.row(name, "an array of 4 MB made and freed", memory.median * 1e9, "ns", memory.spread);
}

}  // namespace kiln::bench

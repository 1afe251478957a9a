// A histogram by a raw kernel: each block counts in memory of its own, which its threads share, and adds that to the result at
// its end. On the CPU, whose blocks have one thread, the same body counts a stretch for each block.
#include "example.hpp"

namespace {

const auto histogram =
    kiln::kernel({.name = "histogram", .signature = "void(const uint8[:] x, int64 n, int64 chunk, int64[:] bins)", .body = R"(
    KILN_SHARED int32 own[256];
    for (uint32 i = thread.x; i < 256; i += block_size.x) own[i] = 0;
    barrier();
    const index begin = block.x * chunk;
    const index end = begin + chunk < n ? begin + chunk : n;
    for (index i = begin + thread.x; i < end; i += block_size.x) atomic_add(&own[x[i]], 1);
    barrier();
    for (uint32 i = thread.x; i < 256; i += block_size.x) atomic_add(&bins[i], own[i]);)"});

bool main_job() {
  constexpr std::int64_t n = 10'000'000;
  constexpr std::int64_t chunk = 50'000;
  std::vector<std::uint8_t> values(n);
  std::mt19937 bits(1);
  // Some values are frequent: their bins are where threads meet.
  for (std::uint8_t& value : values) value = static_cast<std::uint8_t>(bits() % 256 & bits());
  const auto device = kiln::Device::best();
  const kiln::Array x = to_device(kiln::Array::from(values), device);
  const kiln::Array bins = to_device(kiln::Array::zeros({256}, kiln::DType::int64), device);
  const kiln::LaunchOptions launch{.grid = {(n + chunk - 1) / chunk}, .block = {device.is_cpu() ? 1 : 256}};

  std::vector<std::int64_t> plain;
  const double loop = example::best_seconds([&] {
    plain.assign(256, 0);
    for (const std::uint8_t value : values) ++plain[value];
  });
  histogram(launch, x, n, chunk, bins);
  const std::vector<std::int64_t> counted = bins.copy_to_host().to_vector<std::int64_t>();
  const double kiln = example::best_seconds([&] {
    histogram(launch, x, n, chunk, bins);
    device.synchronize();
  });
  example::print_title("histogram of 256 bins, uint8", bins);
  example::print_speed(n, kiln, loop);
  return example::check(counted, [&](std::size_t i) { return plain[i]; }, 0);
}

}  // namespace

int main() {
  return example::run(main_job);
}

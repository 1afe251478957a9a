// A histogram by a raw kernel: each block counts in memory of its own, which its threads share, and adds that to the result at
// its end.
#include <kiln/kiln.hpp>

#include <iostream>
#include <vector>

int main() {
  const auto histogram = kiln::kernel({
      .name = "histogram",
      .signature = "void(const uint8[:] x, int64 n, int64 chunk, int64[:] bins)",
      .body = R"(
        KILN_SHARED int32 own[256];
        for (uint32 i = thread.x; i < 256; i += block_size.x) own[i] = 0;
        barrier();
        const index begin = block.x * chunk;
        const index end = begin + chunk < n ? begin + chunk : n;
        for (index i = begin + thread.x; i < end; i += block_size.x) atomic_add(&own[x[i]], 1);
        barrier();
        for (uint32 i = thread.x; i < 256; i += block_size.x) atomic_add(&bins[i], own[i]);)",
  });

  constexpr std::int64_t n = 1'000'000, chunk = 50'000;
  std::vector<std::uint8_t> x(n);
  std::vector<std::int64_t> expected(256);
  for (std::uint32_t i = 0; i < n; ++i) {
    x[i] = static_cast<std::uint8_t>(i * 2654435761U >> 24 & i);  // some values are frequent: there threads meet
    ++expected[x[i]];
  }
  const auto device = kiln::Device::best();
  const kiln::Array bins = to_device(kiln::Array::zeros({256}, kiln::DType::int64), device);
  const kiln::LaunchOptions launch{.grid = {(n + chunk - 1) / chunk}, .block = {256}};
  histogram(launch, to_device(kiln::Array::from(x), device), n, chunk, bins);

  if (bins.to_vector<std::int64_t>() != expected) {
    std::cerr << "wrong counts\n";
    return 1;
  }
  std::cout << n << " values counted in 256 bins, a part by each block, checked\n";
}

// A histogram by a raw kernel: the threads of a block count in memory that they share, 32 of them in bins of their own, and the
// block adds these to the result at its end. A thread reads four values at once.
#include <kiln/kiln.hpp>

#include <iostream>
#include <vector>

int main() {
  const auto histogram = kiln::kernel({
      .name = "histogram",
      .signature = "void(const uint32[:] fours, int64 chunk, int64[:] bins)",
      .body = R"(
        KILN_SHARED int32 counts[8 * 256];
        for (uint32 i = thread.x; i < 8 * 256; i += block_size.x) counts[i] = 0;
        barrier();
        int32* own = counts + thread.x / 32 * 256;
        const index begin = block.x * chunk;
        const index end = min(begin + chunk, fours.size());
        for (index i = begin + thread.x; i < end; i += block_size.x) {
          const uint32 values = fours[i];
          for (int32 k = 0; k < 32; k += 8) atomic_add(&own[values >> k & 255], 1);
        }
        barrier();
        for (uint32 bin = thread.x; bin < 256; bin += block_size.x) {
          int32 sum = 0;
          for (uint32 part = 0; part < 8; ++part) sum += counts[part * 256 + bin];
          atomic_add(&bins[bin], sum);
        })",
  });

  constexpr std::int64_t n = 1'000'000, fours = n / 4, chunk = 12'500;
  std::vector<std::uint8_t> x(n);
  std::vector<std::int64_t> expected(256);
  for (std::uint32_t i = 0; i < n; ++i) {
    x[i] = static_cast<std::uint8_t>(i * 2654435761U >> 24 & i);  // some values are frequent: there threads meet
    ++expected[x[i]];
  }
  const auto device = kiln::Device::best();
  const kiln::Array bins = to_device(kiln::Array::zeros({256}, kiln::DType::int64), device);
  const kiln::LaunchOptions launch{.grid = {(fours + chunk - 1) / chunk}, .block = {256}};
  histogram(launch, to_device(kiln::Array::view(x.data(), {fours}, kiln::DType::uint32, {}), device), chunk, bins);

  if (bins.to_vector<std::int64_t>() != expected) {
    std::cerr << "wrong counts\n";
    return 1;
  }
  std::cout << n << " values counted in 256 bins, a part by each block, checked\n";
}

// Numba's histogram, whose highest value goes one past the last bin: without checks it changes memory of somebody else's, or
// kills the process. In debug mode the call is an error that names the array, the index and the place, and the device goes on.
#include <kiln/kiln.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

// Counts how many values of x fall into each of the bins between xmin and xmax.
kiln::RawKernel histogram_with(const char* condition, kiln::Debug debug) {
  return kiln::kernel({
      .name = "histogram",
      .signature = "void(const float32[:] x, float32 xmin, float32 xmax, int32[:] histogram_out)",
      .body = std::string(R"(const index nbins = histogram_out.shape(0);
const float32 bin_width = (xmax - xmin) / nbins;
for (index i = grid(1); i < x.shape(0); i += gridsize(1)) {
  const index bin_number = index((x[i] - xmin) / bin_width);
  if ()") + condition +
              R"() {
    atomic_add(&histogram_out[bin_number], 1);
  }
})",
      .compile = {.debug = debug},
  });
}

}  // namespace

int main() {
  constexpr std::int64_t n = 10'001;
  std::vector<float> values(n);
  for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(i % 101) / 100;  // 0 to 1
  const kiln::Device device = kiln::Device::best();
  const kiln::Array x = to_device(kiln::Array::from(values), device);
  const auto counts_of = [&](const kiln::RawKernel& histogram) {
    const kiln::Array bins = to_device(kiln::Array::zeros({10}, kiln::DType::int32), device);
    histogram.configure(8, 64)(x, 0.0F, 1.0F, bins);
    std::int64_t sum = 0;
    for (const std::int32_t count : bins.to_vector<std::int32_t>()) sum += count;
    return sum;
  };

  bool caught = false;
  try {
    counts_of(histogram_with("bin_number >= 0", {.on = true}));
  } catch (const kiln::DeviceError& error) {
    const std::string_view message = error.what();
    caught = message.find("index 10 of histogram_out is out of bounds, its shape is (10,)") != std::string_view::npos &&
             message.find("histogram:6") != std::string_view::npos;
  }
  // The device goes on. What is 1 is in no bin, now.
  const std::int64_t counted = counts_of(histogram_with("bin_number >= 0 && bin_number < nbins", {.on = true}));
  if (!caught || counted != n - n / 101) {
    std::cerr << "the fault was not found, or " << counted << " is wrong\n";
    return 1;
  }
  std::cout << "a count past the last bin is an error; mended, " << counted << " of " << n << " values are in a bin, checked\n";
}

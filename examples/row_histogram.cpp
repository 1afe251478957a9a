// A histogram of each row: an output of a fixed size that no input has, which the body writes first and then counts in.
#include "example.hpp"

namespace {

const auto histogram = kiln::guvectorize(
    {.name = "histogram", .layout = "(n)->(16)", .signatures = {"void(float32[:] x, int32[:] counts)"}, .body = R"(
                                            for (auto& count : counts) count = 0;
                                            for (auto& value : x) {
                                              if (value >= 0 && value < 1) counts(index(value * 16)) += 1;
                                            })"});

bool main_job() {
  constexpr std::size_t rows = 1000, n = 1000, bins = 16;
  const auto values = example::random_values<float>(rows * n, -0.1, 1.1, 1);
  const auto device = kiln::Device::best();
  const kiln::Array x = to_device(kiln::Array::from(values, kiln::Shape{rows, n}), device);
  const kiln::Array counts = histogram(x);

  std::vector<std::int32_t> plain(rows * bins);
  const double loop = example::best_seconds([&] {
    std::fill(plain.begin(), plain.end(), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] >= 0 && values[i] < 1) ++plain[i / n * bins + static_cast<std::size_t>(values[i] * 16)];
    }
  });
  const double kiln = example::best_seconds([&] {
    histogram({x}, {.out = counts});
    device.synchronize();
  });
  example::print_title("histograms of the rows of (1000, 1000)", counts);
  example::print_speed(static_cast<double>(values.size() * sizeof(float)), kiln, loop);
  const bool equal = counts.to_vector<std::int32_t>() == plain;
  std::printf("  checked    %zu counts: %s\n", plain.size(), equal ? "all equal" : "MISMATCH");
  return equal;
}

}  // namespace

int main() {
  return example::run(main_job);
}

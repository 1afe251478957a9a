// Cross products: a fixed core of three, so that its size is checked at the call and is a constant of the kernel.
#include "example.hpp"

namespace {

const auto cross = kiln::guvectorize(
    {.name = "cross", .layout = "(3),(3)->(3)", .signatures = {"void(float32[:] a, float32[:] b, float32[:] c)"}, .body = R"(
                                        c(0) = a(1) * b(2) - a(2) * b(1);
                                        c(1) = a(2) * b(0) - a(0) * b(2);
                                        c(2) = a(0) * b(1) - a(1) * b(0);)"});

bool main_job() {
  constexpr std::size_t count = 200000;
  const auto left = example::random_values<float>(count * 3, -1, 1, 1);
  const auto right = example::random_values<float>(count * 3, -1, 1, 2);
  const auto device = kiln::Device::best();
  const kiln::Array a = to_device(kiln::Array::from(left, kiln::Shape{count, 3}), device);
  const kiln::Array b = to_device(kiln::Array::from(right, kiln::Shape{count, 3}), device);
  const kiln::Array c = cross(a, b);

  std::vector<float> plain(count * 3);
  const double loop = example::best_seconds([&] {
    for (std::size_t i = 0; i < plain.size(); i += 3) {
      plain[i] = left[i + 1] * right[i + 2] - left[i + 2] * right[i + 1];
      plain[i + 1] = left[i + 2] * right[i] - left[i] * right[i + 2];
      plain[i + 2] = left[i] * right[i + 1] - left[i + 1] * right[i];
    }
  });
  const double kiln = example::best_seconds([&] {
    cross({a, b}, {.out = c});
    device.synchronize();
  });
  example::print_title("cross products of (200000, 3)", c);
  example::print_speed(static_cast<double>(9 * count * sizeof(float)), kiln, loop);
  try {
    static_cast<void>(cross(kiln::Array::from({1.0F, 2.0F}), kiln::Array::from({3.0F, 4.0F})));
    std::printf("  MISMATCH: vectors of two were taken\n");
    return false;
  } catch (const kiln::ShapeError& error) {
    std::printf("  refused    %s\n", error.what());
  }
  const auto precise = [&](std::size_t i) { return double{plain[i]}; };
  return example::check(c.to_vector<float>(), precise, 1e-6, 1);
}

}  // namespace

int main() {
  return example::run(main_job);
}

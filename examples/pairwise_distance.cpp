// Distances between all pairs of points: a size rule says how many there are.
#include "example.hpp"

namespace {

const auto pairwise_distance = kiln::guvectorize({.name = "pairwise_distance",
                                                  .layout = "(n,d)->(p)",
                                                  .signatures = {"void(float64[:,:] x, float64[:] r)"},
                                                  .sizes = "p = n * (n - 1) / 2",
                                                  .body = R"(
                                                    index at = 0;
                                                    for (index i = 0; i < n; ++i) {
                                                      for (index j = i + 1; j < n; ++j) {
                                                        float64 sum = 0;
                                                        for (index k = 0; k < d; ++k) sum += square(x(i, k) - x(j, k));
                                                        r(at++) = sqrt(sum);
                                                      }
                                                    })"});

bool main_job() {
  constexpr std::size_t sets = 2000, n = 20, d = 3, pairs = n * (n - 1) / 2;
  const auto points = example::random_values<double>(sets * n * d, -1, 1, 1);
  const auto device = kiln::Device::best();
  const kiln::Array x = to_device(kiln::Array::from(points, kiln::Shape{sets, n, d}), device);
  const kiln::Array r = pairwise_distance(x);

  std::vector<double> plain(sets * pairs);
  const double loop = example::best_seconds([&] {
    std::size_t at = 0;
    for (const double* set = points.data(); set != points.data() + points.size(); set += n * d) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < d; ++k) sum += (set[i * d + k] - set[j * d + k]) * (set[i * d + k] - set[j * d + k]);
          plain[at++] = std::sqrt(sum);
        }
      }
    }
  });
  const double kiln = example::best_seconds([&] {
    pairwise_distance({x}, {.out = r});
    device.synchronize();
  });
  example::print_title("distances of all pairs in 2000 sets of 20 points", r);
  example::print_speed(static_cast<double>((points.size() + plain.size()) * sizeof(double)), kiln, loop);
  return r.shape() == kiln::Shape{sets, pairs} &&
         example::check(r.to_vector<double>(), [&](std::size_t i) { return plain[i]; }, 1e-14);
}

}  // namespace

int main() {
  return example::run(main_job);
}

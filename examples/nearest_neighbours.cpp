// The nearest points of each query, and how far they are: two outputs, whose size is what there is up to five. .each spreads
// the queries over threads, so that a single set of points keeps a whole device busy.
#include "example.hpp"

namespace {

const auto nearest = kiln::guvectorize({.name = "nearest",
                                        .layout = "(n,d),(q,d)->(q,k),(q,k)",
                                        .signatures = {"void(float32[:,:] points, float32[:,:] queries, int64[:,:] which,"
                                                       " float32[:,:] distance)"},
                                        .each = "i:q",
                                        .sizes = "k = min(n, 5)",
                                        .body = R"(
                                          index found = 0;
                                          for (index j = 0; j < n; ++j) {
                                            float32 sum = 0;
                                            for (index l = 0; l < d; ++l) sum += square(queries(i, l) - points(j, l));
                                            if (found == k && sum >= distance(i, k - 1)) continue;
                                            index at = found < k ? found++ : k - 1;
                                            for (; at > 0 && distance(i, at - 1) > sum; --at) {
                                              distance(i, at) = distance(i, at - 1);
                                              which(i, at) = which(i, at - 1);
                                            }
                                            distance(i, at) = sum;
                                            which(i, at) = j;
                                          }
                                          for (index at = 0; at < k; ++at) distance(i, at) = sqrt(distance(i, at));)"});

bool main_job() {
  constexpr std::size_t n = 1500, q = 800, d = 4, k = 5;
  const auto points = example::random_values<float>(n * d, -1, 1, 1);
  const auto queries = example::random_values<float>(q * d, -1, 1, 2);
  const auto device = kiln::Device::best();
  const kiln::Array on_points = to_device(kiln::Array::from(points, kiln::Shape{n, d}), device);
  const kiln::Array on_queries = to_device(kiln::Array::from(queries, kiln::Shape{q, d}), device);
  const auto [which, distance] = nearest.outputs<2>(on_points, on_queries);

  // By sorting all of them.
  std::vector<std::int64_t> plain(q * k);
  const double loop = example::best_seconds(
      [&] {
        std::vector<std::pair<float, std::int64_t>> all(n);
        for (std::size_t i = 0; i < q; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            float sum = 0;
            for (std::size_t l = 0; l < d; ++l) {
              sum += (queries[i * d + l] - points[j * d + l]) * (queries[i * d + l] - points[j * d + l]);
            }
            all[j] = {sum, static_cast<std::int64_t>(j)};
          }
          std::partial_sort(all.begin(), all.begin() + k, all.end());
          for (std::size_t at = 0; at < k; ++at) plain[i * k + at] = all[at].second;
        }
      },
      3);
  const double kiln = example::best_seconds([&] {
    nearest.outputs<2>({on_points, on_queries}, {.out = {which, distance}});
    device.synchronize();
  });
  example::print_title("5 nearest of 1500 points for each of 800 queries", which);
  example::print_speed(static_cast<double>(n * q * d * sizeof(float)), kiln, loop);
  const bool equal = which.to_vector<std::int64_t>() == plain;
  std::printf("  checked    %zu indices: %s\n", plain.size(), equal ? "all equal" : "MISMATCH");
  const auto precise = [&](std::size_t at) {
    double sum = 0;
    for (std::size_t l = 0; l < d; ++l) {
      const double apart = double{queries[at / k * d + l]} - double{points[static_cast<std::size_t>(plain[at]) * d + l]};
      sum += apart * apart;
    }
    return std::sqrt(sum);
  };
  return equal && example::check(distance.to_vector<float>(), precise, 1e-5, 0.1);
}

}  // namespace

int main() {
  return example::run(main_job);
}

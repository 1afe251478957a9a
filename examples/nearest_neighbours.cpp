// The nearest points of each query, and how far they are: two outputs, whose size is what there is up to five. .each spreads
// the queries over threads, so that a single set of points keeps a whole device busy.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  const auto nearest = kiln::guvectorize({
      .name = "nearest",
      .layout = "(n,d),(q,d)->(q,k),(q,k)",
      .signatures = {"void(float32[:,:] points, float32[:,:] queries, int64[:,:] which, float32[:,:] distance)"},
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
        for (index at = 0; at < k; ++at) distance(i, at) = sqrt(distance(i, at));)",
  });

  constexpr std::size_t n = 500, q = 100, k = 5;
  std::vector<float> points(n * 2), queries(q * 2);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = std::sin(static_cast<float>(i * i));
  for (std::size_t i = 0; i < queries.size(); ++i) queries[i] = std::cos(static_cast<float>(i));
  const auto [which, distance] =
      nearest.outputs<2>(kiln::Array::from(points, kiln::Shape{n, 2}), kiln::Array::from(queries, kiln::Shape{q, 2}));

  const auto indices = which.to_vector<std::int64_t>();
  const auto lengths = distance.to_vector<float>();
  for (std::size_t at = 0; at < q * k; ++at) {
    const auto distance_to = [&](std::size_t j) {
      return std::hypot(double{points[2 * j]} - queries[at / k * 2], double{points[2 * j + 1]} - queries[at / k * 2 + 1]);
    };
    // Its rank among all of them, but for a rounding.
    const double length = lengths[at];
    std::size_t nearer = 0, within = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (distance_to(j) < length - 1e-6) ++nearer;
      if (distance_to(j) < length + 1e-6) ++within;
    }
    if (nearer <= at % k && at % k < within && std::abs(distance_to(static_cast<std::size_t>(indices[at])) - length) <= 1e-6)
      continue;
    std::cerr << "neighbour " << at % k << " of query " << at / k << " is wrong\n";
    return 1;
  }
  std::cout << "the " << k << " nearest of " << n << " points to " << q << " queries, checked\n";
}

// A reduction of two inputs: the weighted sum of each row. Inputs broadcast together, and their dtypes decide the loop.
#include <kiln/kiln.hpp>

#include <iostream>
#include <vector>

int main() {
  const auto dot = kiln::reduction({
      .name = "dot",
      .signatures = {"T(T x, T y)"},
      .map = "return x * y;",
      .reduce = "return a + b;",
      .identity = "0",
  });
  const kiln::Array table = kiln::Array::from({1, 2, 3, 4, 5, 6}).reshape({2, 3});
  const kiln::Array weights = kiln::Array::from({1.0, 0.5, 0.25});
  const kiln::Array sums = dot({table, weights}, {.axis = 1});
  if (sums.to_vector<double>() != std::vector<double>{1 + 1 + 0.75, 4 + 2.5 + 1.5}) {
    std::cerr << "wrong sums\n";
    return 1;
  }
  std::cout << "weighted sums of rows, " << name(sums.dtype()) << ": " << sums << ", checked\n";
}

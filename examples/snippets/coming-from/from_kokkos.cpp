// Snippets of docs/coming-from/kokkos.md.
// snippet: after
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::Array;

int main() {
  const Array a = kiln::arange(12.0).reshape({4, 3});
  const Array x = Array::full(3, 2.0), y = kiln::arange(1.0, 5.0);
  const auto product = kiln::reduction({.name = "product",
                                        .signatures = {"float64(float64 y, float64 a, float64 x)"},
                                        .map = "return y * a * x;",
                                        .reduce = "return a + b;",
                                        .identity = "0"});
  std::cout << product(y.reshape({4, 1}), a, x).item<double>() << "\n";
  // end

  // snippet: teams
  const auto rows = kiln::guvectorize({.name = "rows",
                                       .layout = "(n),(n)->()",
                                       .signatures = {"void(float64[:] a, float64[:] x, float64 sum)"},
                                       .group = "block",
                                       .body = R"(
      float64 mine = 0;
      for (index j = lane; j < n; j += lanes) mine += a(j) * x(j);
      sum = team_sum(mine);)"});
  std::cout << rows(a, x) << "\n";
  // end

  // snippet: items
  const auto fill = kiln::kernel({.name = "fill",
                                  .signature = "void(float64[:,:] a)",
                                  .body = "for (index j = 0; j < a.shape(1); ++j) a(item, j) = item * a.shape(1) + j;"});
  const Array filled = Array::empty({2, 3});
  fill({.size = 2}, filled);
  std::cout << filled << "\n";
  // end
}

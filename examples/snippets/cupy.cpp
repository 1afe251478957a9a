// Snippets of docs/cupy.md.
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  {
    const auto x = kiln::Array::from({1.0F, 2.0F, 3.0F}), y = kiln::Array::from({10.0F, 20.0F, 30.0F});
    // snippet: elementwise
    auto reversed = kiln::cupy::elementwise({
        .in_params = "T x, raw T y",
        .out_params = "T z",
        .operation = "z = x + y[_ind.size() - i - 1]",
        .name = "add_reverse",
    });
    std::cout << reversed(x, y) << "\n";
    // end
  }
  {
    const auto x = kiln::Array::from<float>({{3, 4}, {6, 8}});
    // snippet: reduction
    auto norm = kiln::cupy::reduction({
        .in_params = "T x",
        .out_params = "T y",
        .map_expr = "x * x",
        .reduce_expr = "a + b",
        .post_map_expr = "y = sqrt(a)",
        .identity = "0",
        .name = "l2norm",
    });
    std::cout << norm(x, {.axis = 1}) << "\n";
    // end
  }
}

// Snippets of docs/tutorial/06-reductions.md.
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::Array;

int main() {
  const auto escape = kiln::vectorize(R"(
    (int32 count) escape(float64 x, float64 y, constant int32 limit) {
      float64 re = 0, im = 0;
      for (count = 0; count < limit && re * re + im * im <= 4; ++count) {
        const float64 next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
      }
    })");
  const Array x = kiln::linspace(-2.1, 0.7, 420);
  const Array y = kiln::linspace(-1.2, 1.2, 360).reshape({360, 1});
  // snippet: method
  const Array count = escape(x, y, 500);
  const auto larger = kiln::vectorize({.name = "larger",
                                       .signatures = {"T(T a, T b) where T: int32, float64"},
                                       .expression = "a > b ? a : b",
                                       .identity = "0"});
  const Array outside = count < 500;
  std::cout << larger.reduce(count, {.axis = kiln::all_axes, .where = outside}) << "\n";
  std::cout << larger.reduce(count, {.where = outside})[{kiln::Slice{0, 3}}] << "\n";
  // end

  // snippet: reduction
  const auto survey = kiln::reduction({
      .name = "survey",
      .signatures = {"(float64 share, float64 mean)(int32 count)"},
      .accumulator = "int64 inside, outside, steps;",
      .map = "if (count == 500) return {1, 0, 0}; return {0, 1, count};",
      .reduce = "return {a.inside + b.inside, a.outside + b.outside, a.steps + b.steps};",
      .post = "share = float64(a.inside) / (a.inside + a.outside); mean = float64(a.steps) / a.outside;",
      .identity = "{0, 0, 0}",
  });
  const auto [share, mean] = survey.outputs<2>(count);
  std::cout << std::fixed << "area " << std::setprecision(3) << share.item<double>() * 2.8 * 2.4 << ", " << std::setprecision(2)
            << mean.item<double>() << " steps outside\n";
  // end

  // snippet: rows
  const auto rows = survey.outputs<2>(count, {.axis = 1});
  const auto widest = rows[0].argmax().item<std::int64_t>();
  std::cout << rows[0].shape() << " " << std::setprecision(3) << rows[0].max().item<double>() << " "
            << y[{widest, 0}].item<double>() << "\n";
  // end
}

// Snippets of docs/tutorial/05-constants.md.
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::Array;

int main() {
  // snippet: constant
  const auto escape = kiln::vectorize(R"(
    (int32 count) escape(float64 x, float64 y, constant int32 limit) {
      float64 re = 0, im = 0;
      for (count = 0; count < limit && re * re + im * im <= 4; ++count) {
        const float64 next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
      }
    })");
  const Array x = kiln::linspace(-0.7512, -0.7432, 280);
  const Array y = kiln::linspace(0.1060, 0.1130, 240).reshape({240, 1});
  const Array count = escape(x, y, 200);
  std::cout << sum(count == 200).item<std::int64_t>() << "\n";
  // end

  // snippet: where
  escape(x, y, 2000, {.out = count, .where = count == 200});
  std::cout << sum(count == 2000).item<std::int64_t>() << "\n";
  kiln::save_png("tutorial-constants.png", log(count % 2000 + 1), {.colormap = "magma"});
  // end
}

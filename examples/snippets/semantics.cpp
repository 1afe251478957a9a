// Snippets of docs/semantics.md.
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  const std::int64_t rows = 1, columns = 3;
  float pixels[] = {0, 1, 2};
  // snippet: ref
  const std::int64_t shape[] = {rows, columns};
  const kiln::ArrayRef x{.data = pixels, .dtype = kiln::DType::float32, .shape = shape};
  kiln::math::exp(x, {.out = x});
  std::cout << pixels[0] << " " << pixels[1] << " " << pixels[2] << "\n";
  // end
}

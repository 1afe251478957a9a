// Snippets of docs/vectorization.md.
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  // snippet: escape_time
  auto escape_time = kiln::vectorize("int32(float32 re, float32 im)", R"(
    float32 x = 0, y = 0;
    int32 k = 0;
    while (k < 256) {
      const float32 x2 = x * x, y2 = y * y;
      if (x2 + y2 > 4) break;
      y = 2 * x * y + im;
      x = x2 - y2 + re;
      ++k;
    }
    return k;)");
  std::cout << escape_time(kiln::Array::from({0.0F, 0.4F, 1.0F}), 0.4F) << "\n";
  // end
}

// Snippets of docs/how-to/larger-than-memory.md.
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::Array;

int main() {
  kiln::save_npy("x.npy", kiln::arange(1e6).astype<float>());
  // snippet: files
  const Array x = kiln::open_npy("x.npy");
  const Array roots = kiln::create_npy("roots.npy", x.shape(), x.dtype());
  const auto f = kiln::vectorize("float32 f(float32 x) = sqrt(x)");
  kiln::chunked(f, {.chunk_bytes = 1 << 20})(x, {.out = roots});
  kiln::flush_npy(roots);
  std::cout << roots[{4}] << " " << roots[{250'000}] << "\n";
  // end

  // snippet: sum
  std::cout << kiln::chunked(kiln::math::add).reduce(x, {.dtype = kiln::DType::float64}) << "\n";
  // end
}

// Snippets of docs/raw-operands.md.
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  using kiln::Array;
  const Array indices = Array::from({2, 0, 2}), table = Array::from({1.5F, 2.5F, 3.5F});
  const Array samples = Array::from({0.5F, 2.1F, 2.9F}), counts = Array::zeros(3, kiln::DType::int32),
              x = Array::from({0.0F, 3.0F, 6.0F});
  // snippet: first
  auto lookup = kiln::vectorize("float32(int32 k, raw float32 table)", "return table[k];");
  auto histogram = kiln::vectorize("(raw int32 counts)(float32 x)", "atomic_add(&counts[int32(x)], 1);");
  auto smooth = kiln::vectorize("(float32 y)(raw float32 x)",
                                "index i = index(), last = x.size() - 1;"
                                "y = (x[i > 0 ? i - 1 : 0] + x[i] + x[i < last ? i + 1 : last]) / 3;");

  const Array values = lookup(indices, table);  // of the shape of indices
  histogram(samples, {.out = counts});
  const Array smoothed = smooth(x, {.size = x.size()});
  std::cout << values << " " << counts << " " << smoothed << "\n";
  // end
}

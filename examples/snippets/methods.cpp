// Snippets of docs/methods.md.
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  using kiln::Array;
  const Array a = Array::from({1.0, 2.0}), b = Array::from({10.0, 20.0, 30.0});
  const Array x = Array::from({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}), y = Array::from({1.0, 2.0, 3.0});
  const Array histogram = Array::zeros(4, kiln::DType::int64), grid = Array::zeros({2, 2});
  const Array bins = Array::from({0, 3, 3}), rows = Array::from({0, 1}), columns = Array::from({1, 1}),
              heights = Array::from({5.0, 7.0});
  // snippet: methods
  const Array table = kiln::math::multiply.outer(a, b);           // a.shape() + b.shape()
  const Array sums = kiln::math::add.accumulate(x, {.axis = 1});  // running sums, of x's shape
  kiln::math::add.at(histogram, bins, 1);                         // in place; bins that repeat count each time
  kiln::math::maximum.at(grid, {rows, columns}, heights);         // an array of indices for each of the first axes
  kiln::math::negative.at(y, bins[{kiln::Slice{.stop = 1}}]);     // a ufunc of one input
  std::cout << table << "\n" << sums << "\n" << histogram << "\n" << grid << "\n" << y << "\n";
  // end
}

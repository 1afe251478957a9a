// Snippets of docs/arrays.md.
// snippet: first
#include <kiln/kiln.hpp>
// end
#include <iostream>

int main() {
  // snippet: first
  using kiln::Array;

  Array a = Array::from({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  std::cout << a << "\n" << a.shape() << " " << a.dtype() << " " << a.device() << "\n";
  const Array b = sqrt(a) + 2 * a.T().copy().reshape({2, 3});
  std::cout << a.mean(0) << " " << sum(b).item<double>() << "\n";
  a[a > 2] = 0;
  std::cout << a << "\n";
  // end
}

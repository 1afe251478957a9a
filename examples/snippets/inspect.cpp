// Snippets of docs/inspect.md.
#include <cstdlib>
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  setenv("KILN_CPU_TARGET", "x86-64-v3", 1);
  const auto f = kiln::vectorize("float64(float64 a, float64 b)", "return a * b;");
  const auto a = kiln::Array::ones(3), b = kiln::Array::ones(3);
  // snippet: text
  const kiln::cache::Contents kernel = f.compiled(a, b);  // what f(a, b) would run, compiled or from the cache; nothing runs
  std::cout << kiln::inspect::text(kernel, kiln::inspect::Form::assembly);
  // end
}

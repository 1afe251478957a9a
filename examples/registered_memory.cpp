// Arrays of the program's own, page-locked for a while: a GPU's driver reads and writes them without a copy on the way. What
// Numba's documentation has as `with roc.register(array_a, array_b): …` ("Data registration"), and by hand with deregister().
#include <kiln/kiln.hpp>

#include <iostream>
#include <vector>

int main() {
  const auto add = kiln::vectorize("float32(float32 a, float32 b)", "return a + b;");
  std::vector<float> memory_a(1'000'000, 1.5F), memory_b(memory_a.size(), 2.0F);
  const auto size = static_cast<std::int64_t>(memory_a.size());
  const kiln::Array array_a = kiln::Array::view(memory_a.data(), {size});
  const kiln::Array array_b = kiln::Array::view(memory_b.data(), {size});

  kiln::Array sum;
  {
    const auto registered = kiln::register_host(array_a, array_b);
    sum = add(array_a, array_b);
  }  // both are deregistered here

  // by hand
  auto registered = kiln::register_host(array_a);
  add({array_a, array_b}, {.out = array_a});
  registered.deregister();

  for (const float value : sum.to_vector<float>()) {
    if (value != 3.5F) return 1;
  }
  for (const float value : memory_a) {
    if (value != 3.5F) return 1;
  }
  std::cout << sum.size() << " sums in memory that was page-locked for them, checked\n";
}

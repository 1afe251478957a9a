// sqrt(b*b - 4*a*c) as one ufunc with a float32 and a float64 loop: the arguments' dtypes choose. Numbers are weak, as in
// NumPy: they take the dtype of the arrays beside them.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <vector>

namespace {

const auto discriminant = kiln::vectorize({
    .name = "discriminant",
    .signatures = {"float32(float32 a, float32 b, float32 c)", "float64(float64, float64, float64)"},
    .body = "return sqrt(b * b - 4 * a * c);",
});

template <class T>
bool check_loop(double tolerance) {
  std::vector<T> a(1000), b(1000);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = 1 + static_cast<T>(i) / 1000;
    b[i] = 5 + static_cast<T>(i) / 200;
  }
  const kiln::Array out = discriminant(kiln::Array::from(a), kiln::Array::from(b), 2.0);

  const std::vector<T> values = out.to_vector<T>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = std::sqrt(double{b[i]} * b[i] - 4.0 * a[i] * 2.0);
    if (std::abs(values[i] - expected) <= tolerance * expected) continue;
    std::cerr << "element " << i << " is wrong: " << values[i] << ", not " << expected << "\n";
    return false;
  }
  if (out.dtype() != kiln::dtype_of<T>) return false;
  std::cout << values.size() << " discriminants of " << name(out.dtype()) << ", checked\n";
  return true;
}

}  // namespace

int main() {
  return check_loop<float>(1e-6) && check_loop<double>(1e-15) ? 0 : 1;
}

// snippet: before
#include <Kokkos_Core.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const int rows = 4, columns = 3;
  Kokkos::View<double**> a("a", rows, columns);
  Kokkos::View<double*> x("x", columns), y("y", rows);
  Kokkos::parallel_for(rows, KOKKOS_LAMBDA(int i) {
    y(i) = i + 1;
    for (int j = 0; j < columns; ++j) a(i, j) = i * columns + j;
  });
  Kokkos::deep_copy(x, 2);
  double result = 0;
  Kokkos::parallel_reduce(rows, KOKKOS_LAMBDA(int i, double& sum) {
    double row = 0;
    for (int j = 0; j < columns; ++j) row += a(i, j) * x(j);
    sum += y(i) * row;
  }, result);
  std::printf("%g\n", result);
}
// end

/* Snippets of docs/tutorial/07-gufuncs.md. */
#include "step.h"

int main(void) {
  // snippet: mean
  kiln_function* mean = parse(
      "(n)->() void mean(float64[:] x, float64 result) {"
      "  float64 sum = 0;"
      "  for (index i = 0; i < n; ++i) sum += x(i);"
      "  result = sum / n;"
      "}");
  double x[2][3] = {{1, 2, 3}, {4, 5, 9}}, means[2];
  const int64_t shape[2] = {2, 3};
  const kiln_array_info in = kiln_memory(x, KILN_FLOAT, 64, 2, shape), out = kiln_memory(means, KILN_FLOAT, 64, 1, shape);
  const kiln_arg input = kiln_memory_arg(&in);
  call(mean, kiln_memory_arg(&out), &input, 1);
  printf("%g %g\n", means[0], means[1]);
  // end
  kiln_function_release(mean);
}

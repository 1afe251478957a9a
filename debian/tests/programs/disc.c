/* sqrt(b*b - 4*a*c) of three numbers by the C interface, with the results checked. An error's message goes to standard error.
 */
#include <kiln/c/kiln.h>
#include <stdio.h>

int main(void) {
  double b[3] = {3, 5, 7}, roots[3] = {0};
  const int64_t shape[1] = {3};
  const kiln_array_info in = kiln_memory(b, KILN_FLOAT, 64, 1, shape);
  const kiln_array_info out = kiln_memory(roots, KILN_FLOAT, 64, 1, shape);
  const kiln_arg operands[3] = {kiln_f64(1), kiln_memory_arg(&in), kiln_f64(2)};
  kiln_arg result = kiln_memory_arg(&out);
  kiln_error* error = NULL;
  kiln_function* disc = NULL;
  if (kiln_function_parse(&disc, "float64 disc(float64 a, float64 b, float64 c) = b*b - 4*a*c", KILN_NUL, &error) != KILN_OK ||
      kiln_call(disc, &result, 1, operands, 3, NULL, &error) != KILN_OK) {
    fprintf(stderr, "%s\n", kiln_error_message(error));
    kiln_error_release(error);
    return 2;
  }
  kiln_function_release(disc);
  printf("%g %g %g\n", roots[0], roots[1], roots[2]);
  return roots[0] == 1 && roots[1] == 17 && roots[2] == 41 ? 0 : 1;
}

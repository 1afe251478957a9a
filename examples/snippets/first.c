#include <kiln/c/kiln.h>
#include <stdio.h>

int main(void) {
  double b[3] = {3, 5, 7}, roots[3];
  const int64_t shape[1] = {3};
  const kiln_array_info in = kiln_memory(b, KILN_FLOAT, 64, 1, shape);
  const kiln_array_info out = kiln_memory(roots, KILN_FLOAT, 64, 1, shape);
  kiln_arg output = kiln_memory_arg(&out);
  const kiln_arg inputs[3] = {
      kiln_f64(1),
      kiln_memory_arg(&in),
      kiln_f64(2),
  };
  const char* const text =
      "T disc(T a, T b, T c) where T: float32, float64"
      "  = sqrt(b*b - 4*a*c)";
  kiln_function* disc = NULL;
  kiln_error* error = NULL;
  kiln_status status = kiln_function_parse(&disc, text, KILN_NUL, &error);
  if (!status) status = kiln_call(disc, &output, 1, inputs, 3, NULL, &error);
  if (status) {
    fprintf(stderr, "%s\n", kiln_error_message(error));
    return 1;
  }
  printf("%.8f %.8f %.8f\n", roots[0], roots[1], roots[2]);
  kiln_function_release(disc);
}

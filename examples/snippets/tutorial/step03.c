/* Snippets of docs/tutorial/03-loop.md. */
#include "step.h"

#include <complex.h>
#include <string.h>

int main(void) {
  // snippet: body
  kiln_function* escape = parse(
      "(int32 count) escape(complex128 c) {"
      "  complex128 z = 0;"
      "  for (count = 0; count < 100 && norm(z) <= 4; ++count) z = z*z + c;"
      "}");
  double complex c[4] = {0.25, -1, 0.3 + 0.6 * I, 1};
  int32_t counts[4];
  const int64_t shape[1] = {4};
  const kiln_array_info points = kiln_memory(c, KILN_COMPLEX, 128, 1, shape),
                        result = kiln_memory(counts, KILN_INT, 32, 1, shape);
  const kiln_arg input = kiln_memory_arg(&points);
  call(escape, kiln_memory_arg(&result), &input, 1);
  printf("%d %d %d %d\n", counts[0], counts[1], counts[2], counts[3]);
  // end

  // snippet: error
  kiln_function* wrong = parse(
      "(int32 count) wrong(complex128 c) {\n"
      "  for (count = 0; count < 100 && nrm(c) <= 4; ++count) c = c*c;\n"
      "}");
  kiln_arg output = kiln_memory_arg(&result);
  kiln_error* error = NULL;
  if (kiln_call(wrong, &output, 1, &input, 1, NULL, &error)) {
    const char* message = kiln_error_message(error);
    printf("%.*s\n", (int)strcspn(message, "\n"), message);
  }
  // end
  kiln_error_release(error);
  kiln_function_release(wrong);
  kiln_function_release(escape);
}

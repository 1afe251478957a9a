/* Snippets of docs/tutorial/01-formula.md. */
// snippet: formula
#include <complex.h>
#include <kiln/c/kiln.h>
#include <stdio.h>
#include <stdlib.h>

static void check(kiln_status status, kiln_error* error) {
  if (status == KILN_OK) return;
  fprintf(stderr, "%s\n", kiln_error_message(error));
  exit(1);
}

static kiln_function* parse(const char* text) {
  kiln_function* function = NULL;
  kiln_error* error = NULL;
  check(kiln_function_parse(&function, text, KILN_NUL, &error), error);
  return function;
}

static void call(const kiln_function* function, kiln_arg output, const kiln_arg* inputs, size_t count) {
  kiln_error* error = NULL;
  check(kiln_call(function, &output, 1, inputs, count, NULL, &error), error);
}

int main(void) {
  kiln_function* step = parse("complex128 step(complex128 z, complex128 c) = z*z + c");
  double complex c[4] = {0.25, -1, 0.3 + 0.5 * I, 1}, z[4] = {0};
  const int64_t shape[1] = {4};
  const kiln_array_info c_info = kiln_memory(c, KILN_COMPLEX, 128, 1, shape),
                        z_info = kiln_memory(z, KILN_COMPLEX, 128, 1, shape);
  const kiln_arg inputs[2] = {kiln_memory_arg(&z_info), kiln_memory_arg(&c_info)};
  for (int i = 0; i < 2; ++i) {
    call(step, kiln_memory_arg(&z_info), inputs, 2);
    for (int k = 0; k < 4; ++k) printf(" %.4f%+.4fi", creal(z[k]), cimag(z[k]));
    printf("\n");
  }
  // end

  // snippet: text
  kiln_function* small = parse("bool small(complex128 z) = norm(z) < 4");
  static double complex grid[21][57], orbit[21][57];
  static uint8_t inside[21][57];
  for (int i = 0; i < 21; ++i)
    for (int j = 0; j < 57; ++j) grid[i][j] = -2.1 + 0.05 * j + (-1.2 + 0.12 * i) * I;
  const int64_t extents[2] = {21, 57};
  const kiln_array_info points = kiln_memory(grid, KILN_COMPLEX, 128, 2, extents),
                        values = kiln_memory(orbit, KILN_COMPLEX, 128, 2, extents);
  const kiln_array_info bits = kiln_memory(inside, KILN_BOOL, 8, 2, extents);
  const kiln_arg operands[2] = {kiln_memory_arg(&values), kiln_memory_arg(&points)};
  for (int i = 0; i < 12; ++i) call(step, kiln_memory_arg(&values), operands, 2);
  call(small, kiln_memory_arg(&bits), operands, 1);
  for (int i = 0; i < 21; ++i) {
    for (int j = 0; j < 57; ++j) putchar(inside[i][j] ? '#' : '.');
    putchar('\n');
  }
  // end
  kiln_function_release(small);
  kiln_function_release(step);
}

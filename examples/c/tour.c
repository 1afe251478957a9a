/* kiln from C: a ufunc, a generalized ufunc and a reduction on the program's own memory, an error with its place, and kernels
 * that are shipped as a bundle.
 *
 *   cc -std=c11 tour.c $(pkg-config --cflags --libs kiln) -lm -o tour && ./tour */
#include <kiln/c/kiln.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program with the error's message unless a function succeeded. */
static void check(kiln_status status, kiln_error* error) {
  if (status == KILN_OK) return;
  fprintf(stderr, "%s: %s\n", kiln_status_name(status), kiln_error_message(error));
  exit(1);
}

static void expect(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "wrong: %s\n", what);
  exit(1);
}

/* Calls a function of one output. */
static void call(const kiln_function* function, const kiln_array_info* out, const kiln_arg* inputs, size_t count) {
  kiln_arg output = kiln_memory_arg(out);
  kiln_error* error = NULL;
  check(kiln_call(function, &output, 1, inputs, count, NULL, &error), error);
}

int main(void) {
  kiln_error* error = NULL;
  double b[3] = {3, 5, 7}, roots[3] = {0}, sum = 0;
  const int64_t shape[1] = {3};
  const kiln_array_info in = kiln_memory(b, KILN_FLOAT, 64, 1, shape);
  const kiln_array_info out = kiln_memory(roots, KILN_FLOAT, 64, 1, shape);
  const kiln_array_info scalar = kiln_memory(&sum, KILN_FLOAT, 64, 0, NULL);

  kiln_function* disc = NULL;
  check(kiln_function_parse(&disc, "float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)", KILN_NUL, &error),
        error);
  const kiln_arg operands[3] = {kiln_f64(1), kiln_memory_arg(&in), kiln_f64(2)};
  call(disc, &out, operands, 3);
  expect(roots[0] == 1 && fabs(roots[2] - sqrt(41)) < 1e-15, "the ufunc");

  kiln_function* dot = NULL;
  check(kiln_function_parse(&dot,
                            "(n),(n)->() void dot(float64[:] a, float64[:] b, float64 c) {"
                            " c = 0; for (index i = 0; i < n; ++i) c += a(i) * b(i); }",
                            KILN_NUL, &error),
        error);
  const kiln_arg rows[2] = {kiln_memory_arg(&in), kiln_memory_arg(&in)};
  call(dot, &scalar, rows, 2);
  expect(sum == 83, "the generalized ufunc");

  kiln_function* mean = NULL;
  const char* definition =
      "{\"kind\": \"reduction\", \"name\": \"mean\", \"signatures\": [\"float64(float64 x)\"],"
      " \"accumulator\": \"float64 n, sum;\", \"map\": \"return {1, x};\", \"reduce\": \"return {a.n + b.n, a.sum + b.sum};\","
      " \"post\": \"return a.sum / a.n;\", \"identity\": \"{0, 0}\"}";
  check(kiln_function_define(&mean, definition, KILN_NUL, NULL, &error), error);
  call(mean, &scalar, rows, 1);
  expect(sum == 5, "the reduction");

  kiln_function* wrong = NULL;
  expect(kiln_function_parse(&wrong, "float64 f(flot64 a) = a", KILN_NUL, &error) == KILN_E_SIGNATURE, "the error");
  expect(strcmp(kiln_error_get(error, "position"), "10") == 0, "its place");
  printf("an error says where:\n%s\n", kiln_error_message(error));
  kiln_error_release(error);
  error = NULL;

  /* One program compiles and gives the bundle away; another has it as a read-only cache, and needs no compiler. */
  kiln_cache* builder = NULL;
  check(kiln_cache_open(&builder, "{\"directory\": \"tour-cache\"}", &error), error);
  kiln_function* built = NULL;
  const char* text = "{\"kind\": \"ufunc\", \"kernel\": \"float64 scaled(float64 a) = a * 3\"}";
  check(kiln_function_define(&built, text, KILN_NUL, builder, &error), error);
  call(built, &out, rows, 1);
  kiln_text* bundle = NULL;
  check(kiln_cache_export(&bundle, builder, NULL, 0, &error), error);
  size_t length = 0;
  const char* bytes = kiln_text_data(bundle, &length);
  FILE* file = fopen("tour.bundle", "wb");
  expect(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0, "the file of the bundle");

  kiln_cache* user = NULL;
  check(kiln_cache_open(&user, "{\"read_only\": [\"tour.bundle\"]}", &error), error);
  kiln_function* shipped = NULL;
  check(kiln_function_define(&shipped, text, KILN_NUL, user, &error), error);
  call(shipped, &out, rows, 1);
  kiln_cache_stats stats = kiln_cache_stats_default();
  check(kiln_cache_statistics(user, &stats, &error), error);
  expect(roots[1] == 15 && stats.compiles == 0 && stats.read_only_hits == 1, "the bundle");
  printf("all right: the ufunc, the generalized ufunc, the reduction, the error, the bundle of %zu bytes\n", length);

  kiln_text_release(bundle);
  kiln_cache_release(user);
  kiln_cache_release(builder);
  kiln_function_release(shipped);
  kiln_function_release(built);
  kiln_function_release(mean);
  kiln_function_release(dot);
  kiln_function_release(disc);
  return 0;
}

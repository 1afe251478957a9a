/* A program of the first C interface (kiln/c/kiln.h beside it is the header as it was). It is built against that header, and
 * run with every later library: neither it nor the header is ever changed. */
#include <kiln/c/kiln.h>
#include <stdio.h>
#include <string.h>

static int chunks_seen;

static int32_t progress(const kiln_progress* state, void* user) {
  *(int*)user = state->chunks_done == state->chunks;
  return 0;
}

#define SUCCEED(call)                                                              \
  if ((call) != KILN_OK) {                                                         \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, kiln_error_message(error)); \
    return 1;                                                                      \
  }
#define EXPECT(condition)                                           \
  if (!(condition)) {                                               \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    return 1;                                                       \
  }

int main(void) {
  kiln_error* error = NULL;
  double a[4] = {1, 2, 3, 4}, b[4] = {0};
  const int64_t shape[1] = {4};
  kiln_array_info in = kiln_array_info_default(), out = kiln_array_info_default();
  in.data = a;
  in.dtype.code = KILN_FLOAT;
  in.dtype.bits = 64;
  in.dtype.lanes = 1;
  in.ndim = 1;
  in.shape = shape;
  out = in;
  out.data = b;

  kiln_function* f = NULL;
  SUCCEED(kiln_function_parse(&f, "float64 f(float64 x) = x * x", KILN_NUL, &error));
  kiln_arg input = kiln_memory_arg(&in), output = kiln_memory_arg(&out);
  kiln_call_options options = kiln_call_options_default();
  options.chunked = 1;
  options.chunk_bytes = 16;
  options.progress = progress;
  options.progress_user = &chunks_seen;
  SUCCEED(kiln_call(f, &output, 1, &input, 1, &options, &error));
  EXPECT(b[0] == 1 && b[3] == 16 && chunks_seen == 1);

  kiln_function* add = NULL;
  SUCCEED(kiln_function_math(&add, "add", KILN_NUL, &error));
  kiln_function_info info = kiln_function_info_default();
  SUCCEED(kiln_function_describe(add, &info, &error));
  EXPECT(info.kind == KILN_UFUNC && info.nin == 2 && info.nout == 1 && info.reorderable != 0 && strcmp(info.name, "add") == 0);
  options = kiln_call_options_default();
  options.method = KILN_REDUCE;
  kiln_arg sum = {0};
  SUCCEED(kiln_call(add, &sum, 1, &output, 1, &options, &error));
  EXPECT(sum.kind == KILN_ARRAY);
  kiln_array_info described = kiln_array_info_default();
  SUCCEED(kiln_array_describe(sum.value.array, &described, &error));
  EXPECT(described.ndim == 0 && *(double*)described.data == 30);
  kiln_array_release((kiln_array*)sum.value.array);

  const kiln_arg two[2] = {input, input};
  EXPECT(kiln_call(f, &output, 1, two, 2, NULL, &error) == KILN_E_TYPE);
  EXPECT(kiln_error_status(error) == KILN_E_TYPE && strlen(kiln_error_message(error)) > 10);
  kiln_error_release(error);
  kiln_text* definition = NULL;
  SUCCEED(kiln_function_get(&definition, f, "definition", &error));
  kiln_function* again = NULL;
  SUCCEED(kiln_function_define(&again, kiln_text_data(definition, NULL), KILN_NUL, NULL, &error));
  kiln_text_release(definition);
  kiln_cache_stats stats = kiln_cache_stats_default();
  SUCCEED(kiln_cache_statistics(NULL, &stats, &error));
  kiln_function_release(again);
  kiln_function_release(add);
  kiln_function_release(f);
  printf("the frozen program is right with kiln %u\n", (unsigned)kiln_version());
  return 0;
}

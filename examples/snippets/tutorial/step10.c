/* Snippets of docs/tutorial/10-shipping.md. */
#include "step.h"

int main(void) {
  double b[2] = {3, 5}, roots[2];
  const int64_t shape[1] = {2};
  const kiln_array_info in = kiln_memory(b, KILN_FLOAT, 64, 1, shape), out = kiln_memory(roots, KILN_FLOAT, 64, 1, shape);
  const kiln_arg inputs[3] = {kiln_f64(1), kiln_memory_arg(&in), kiln_f64(2)};
  kiln_error* error = NULL;
  // snippet: cache
  const char* text = "{\"kind\": \"ufunc\", \"kernel\": \"float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)\"}";
  kiln_cache* cache = NULL;
  kiln_function* disc = NULL;
  check(kiln_cache_open(&cache, "{\"directory\": \"kernels\"}", &error), error);
  check(kiln_function_define(&disc, text, KILN_NUL, cache, &error), error);
  call(disc, kiln_memory_arg(&out), inputs, 3);
  call(disc, kiln_memory_arg(&out), inputs, 3);
  kiln_cache_stats stats = kiln_cache_stats_default();
  check(kiln_cache_statistics(cache, &stats, &error), error);
  printf("%d\n", (int)stats.compiles);
  // end

  // snippet: bundle
  kiln_text* bundle = NULL;
  check(kiln_cache_export(&bundle, cache, NULL, 0, &error), error);
  size_t length = 0;
  const char* bytes = kiln_text_data(bundle, &length);
  FILE* file = fopen("disc.kiln", "wb");
  if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) return 1;

  kiln_cache* shipped = NULL;
  kiln_function* ready = NULL;
  check(kiln_cache_open(&shipped, "{\"read_only\": [\"disc.kiln\"]}", &error), error);
  check(kiln_function_define(&ready, text, KILN_NUL, shipped, &error), error);
  call(ready, kiln_memory_arg(&out), inputs, 3);
  check(kiln_cache_statistics(shipped, &stats, &error), error);
  printf("%.8f %.8f\n%d %d\n", roots[0], roots[1], (int)stats.compiles, (int)stats.read_only_hits);
  // end
  kiln_function_release(ready);
  kiln_cache_release(shipped);
  kiln_text_release(bundle);
  kiln_function_release(disc);
  kiln_cache_release(cache);
}

/* What step 1 of the tutorial defines, for the C programs of later steps. */
#ifndef STEP_H_
#define STEP_H_
#include <kiln/c/kiln.h>
#include <stdio.h>
#include <stdlib.h>

static inline void check(kiln_status status, kiln_error* error) {
  if (status == KILN_OK) return;
  fprintf(stderr, "%s\n", kiln_error_message(error));
  exit(1);
}

static inline kiln_function* parse(const char* text) {
  kiln_function* function = NULL;
  kiln_error* error = NULL;
  check(kiln_function_parse(&function, text, KILN_NUL, &error), error);
  return function;
}

static inline void call(const kiln_function* function, kiln_arg output, const kiln_arg* inputs, size_t count) {
  kiln_error* error = NULL;
  check(kiln_call(function, &output, 1, inputs, count, NULL, &error), error);
}
#endif

#include <cstdio>
#include <cstdlib>

#include "targets.hpp"

void kiln::fuzz::require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

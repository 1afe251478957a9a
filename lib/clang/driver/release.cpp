// The release that the module is of.
#include "clang/release.h"

__attribute__((visibility("default"))) const char* kiln_clang_release(void) {
  return KILN_CLANG_RELEASE;
}

// Requirements of every public header: the language version, and the visibility of the shared library's symbols.
#pragma once

// A missing header ends the compilation at once; hundreds of lines of errors would follow #error.
#if __cplusplus <= 201703L
#include <kiln needs C++20: compile with -std=c++20>
#endif

#if defined(KILN_STATIC)
#define KILN_API
#else
#define KILN_API __attribute__((visibility("default")))
#endif

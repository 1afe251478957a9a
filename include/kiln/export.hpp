// What every public header begins with: the language it needs, and the visibility of the shared library's symbols.
#pragma once

// A header that is not there ends the compilation at once; after #error, hundreds of lines would follow.
#if __cplusplus <= 201703L
#include <kiln needs C++20: compile with -std=c++20>
#endif

#if defined(KILN_STATIC)
#define KILN_API
#else
#define KILN_API __attribute__((visibility("default")))
#endif

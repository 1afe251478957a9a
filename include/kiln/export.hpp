// Visibility of the shared library's symbols.
#pragma once

#if defined(KILN_STATIC)
#define KILN_API
#else
#define KILN_API __attribute__((visibility("default")))
#endif

/* What a libkiln says of a libkiln-clang.so that does not speak its version of interface.h. */
#ifndef KILN_CLANG_RELEASE_H
#define KILN_CLANG_RELEASE_H

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_CLANG_RELEASE_SYMBOL "kiln_clang_release"
/* The release of kiln that the module is of, "0.2.0". Older modules have no such function. */
const char* kiln_clang_release(void);

#ifdef __cplusplus
}
#endif

#endif

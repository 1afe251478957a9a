// Which sanitizer this program is built with, if any (KILN_SANITIZED): GCC defines a macro, Clang has a feature.
#pragma once

namespace kiln::test {

#if !defined(__has_feature)
#define KILN_HAS_FEATURE(name) 0
#else
#define KILN_HAS_FEATURE(name) __has_feature(name)
#endif

#if defined(__SANITIZE_ADDRESS__) || KILN_HAS_FEATURE(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
#define KILN_SANITIZED 1
#else
inline constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || KILN_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#define KILN_SANITIZED 1
#else
inline constexpr bool kThreadSanitizer = false;
#endif

#undef KILN_HAS_FEATURE

/// How often a random case is tried: under a sanitizer, whose loops take ten times as long, a fifth as often.
constexpr int rounds(int ordinary) {
  return kAddressSanitizer || kThreadSanitizer ? ordinary / 5 : ordinary;
}

}  // namespace kiln::test

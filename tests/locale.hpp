// The locale of a test program: KILN_TEST_LOCALE, for the C library and for C++.
#pragma once

#include <cstdlib>
#include <locale>

namespace kiln::test {

/// std::runtime_error where it names a locale that is not there.
inline void use_locale_of_environment() {
  if (const char* const name = std::getenv("KILN_TEST_LOCALE")) std::locale::global(std::locale(name));
}

}  // namespace kiln::test

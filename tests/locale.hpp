// The locale of a test program: KILN_TEST_LOCALE, for numbers. Messages of the system stay English.
#pragma once

#include <clocale>
#include <cstdlib>
#include <locale>
#include <stdexcept>

namespace kiln::test {

/// How the C library and, with `streams`, C++'s streams write numbers. std::runtime_error where the locale is not there.
inline void use_locale_of_environment(bool streams) {
  const char* const name = std::getenv("KILN_TEST_LOCALE");
  if (name == nullptr) return;
  if (std::setlocale(LC_NUMERIC, name) == nullptr) throw std::runtime_error("KILN_TEST_LOCALE names no locale that is there");
  if (streams) std::locale::global(std::locale(std::locale(), name, std::locale::numeric));
}

}  // namespace kiln::test

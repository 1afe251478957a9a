// The locale that kiln's texts are in, whatever the program's is: a fraction has a point.
#pragma once

#include <clocale>

#include <locale.h>  // NOLINT(modernize-deprecated-headers): newlocale() and uselocale() are POSIX's

namespace kiln::base {

/// Lets the C library's functions print and read as in the "C" locale, on the calling thread, until the end of the scope.
class CLocale {
 public:
  CLocale() noexcept {
    static const locale_t c = newlocale(LC_ALL_MASK, "C", nullptr);
    before_ = uselocale(c);
  }
  ~CLocale() { uselocale(before_); }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  locale_t before_;
};

}  // namespace kiln::base

// Keyword arguments of calls, found by the addresses of interned names.
#pragma once
#include "python.hpp"

namespace kiln::python {

enum Keyword : std::uint8_t {
  kOut,
  kWhere,
  kDtype,
  kCasting,
  kSignature,
  kSig,
  kAxis,
  kAxes,
  kKeepdims,
  kOrder,
  kSubok,
  kInitial,
  kStream,
  kDevice,
  kTimeout,
  kSize,
  kGrid,
  kBlock,
  kSharedMem,
  kLengths,
  kNorm,
  kMeasure,
  kChunked,
  kChunkBytes,
  kDevices,
  kProgress,
  kIndices,
  kArray,
  kKeywords
};

using KeywordSet = std::uint32_t;
constexpr KeywordSet set_of(std::initializer_list<Keyword> list) {
  KeywordSet all = 0;
  for (const Keyword each : list) all |= 1U << each;
  return all;
}

/// The values of the keywords of one call: borrowed references, NULL where none was given.
class Keywords {
 public:
  PyObject* operator[](Keyword keyword) const noexcept { return values_[keyword]; }
  PyObject*& operator[](Keyword keyword) noexcept { return values_[keyword]; }

  /// Returns whether there is a keyword that is an option of the C interface.
  [[nodiscard]] bool any_option() const noexcept { return (read_ & ~set_of({kOut, kOrder, kSubok, kArray, kIndices})) != 0; }

  /// Reads the keywords that follow `args`. An unknown one is a TypeError that proposes another. Returns false with an
  /// exception.
  bool read(const char* function, PyObject* const* args, PyObject* names, KeywordSet allowed);
  /// Reads positional arguments after the first ones, in the order of `order`. Returns false with an exception.
  bool read_positional(const char* function, PyObject* const* args, Py_ssize_t count, const Keyword* order,
                       Py_ssize_t possible);

 private:
  PyObject* values_[kKeywords] = {};
  KeywordSet read_ = 0;
};

/// Interns the names. Returns false with an exception.
bool intern_keywords();

/// Returns the interned name of a keyword: a borrowed reference.
[[nodiscard]] PyObject* interned_keyword(Keyword keyword) noexcept;

/// Returns the name of a keyword.
[[nodiscard]] const char* keyword_name(Keyword keyword) noexcept;

}  // namespace kiln::python

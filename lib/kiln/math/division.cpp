// Quotients and remainders.
#include "math/dtypes.hpp"
#include "math/entry.hpp"

namespace kiln::math {
namespace {

using detail::Entry;

constexpr Entry kEntries[] = {
    {.name = "divide",
     .description = "x1 / x2; of integers in float64",
     .signatures = {"float64(T x1, T x2) where T: " KILN_INTEGERS, "T(T, T) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return true_divide(x1, x2);"},
    {.name = "floor_divide",
     .description = "the quotient rounded down; of integers 0 where x2 is 0",
     .signatures = {"T(T x1, T x2) where T: " KILN_INTEGERS ", " KILN_FLOATS},
     .body = "return floor_divide<T>(x1, x2);"},
    {.name = "remainder",
     .description = "what floor_divide leaves, with the sign of x2; of integers 0 where x2 is 0",
     .signatures = {"T(T x1, T x2) where T: " KILN_INTEGERS ", " KILN_FLOATS},
     .body = "return floor_remainder<T>(x1, x2);"},
    {.name = "fmod",
     .description = "what C's division leaves, with the sign of x1; of integers 0 where x2 is 0",
     .signatures = {"T(T x1, T x2) where T: " KILN_INTEGERS ", " KILN_FLOATS},
     .body = "return truncated_remainder<T>(x1, x2);"},
    {.name = "divmod",
     .description = "floor_divide and remainder at once",
     .signatures = {"(T quotient, T remainder)(T x1, T x2) where T: " KILN_INTEGERS ", " KILN_FLOATS},
     .body = "const auto both = floor_divmod<T>(x1, x2); quotient = both.quotient; remainder = both.remainder;"},
    {.name = "reciprocal",
     .description = "1 / x; of integers towards zero, and 0 of 0",
     .signatures = {"T(T x) where T: " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return reciprocal(x);"},
};
constinit detail::Slot slots[std::size(kEntries)];

consteval Function make(std::string_view name) {
  const std::size_t i = detail::index_of(kEntries, name);
  return {kEntries[i], slots[i]};
}

}  // namespace

constinit const detail::Group detail::kDivision{"division", kEntries, slots};

constinit const Function divide = make("divide");
constinit const Function floor_divide = make("floor_divide");
constinit const Function remainder = make("remainder");
constinit const Function fmod = make("fmod");
constinit const Function divmod = make("divmod");
constinit const Function reciprocal = make("reciprocal");
constinit const Function true_divide = make("divide");
constinit const Function mod = make("remainder");

}  // namespace kiln::math

// Comparisons, which give bool.
#include "math/dtypes.hpp"
#include "math/entry.hpp"

namespace kiln::math {
namespace {

using detail::Entry;

constexpr Entry kEntries[] = {
    {.name = "equal",
     .description = "x1 == x2, by value",
     .signatures = {"bool(T x1, T x2) where T: bool, " KILN_INTEGERS, "bool(int64, uint64)", "bool(uint64, int64)",
                    "bool(T, T) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return equal_to(x1, x2);"},
    {.name = "not_equal",
     .description = "x1 != x2, by value",
     .signatures = {"bool(T x1, T x2) where T: bool, " KILN_INTEGERS, "bool(int64, uint64)", "bool(uint64, int64)",
                    "bool(T, T) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return !equal_to(x1, x2);"},
    {.name = "less",
     .description = "x1 < x2, by value; complex numbers in lexicographic order",
     .signatures = {"bool(T x1, T x2) where T: bool, " KILN_INTEGERS, "bool(int64, uint64)", "bool(uint64, int64)",
                    "bool(T, T) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return less_than(x1, x2);"},
    {.name = "less_equal",
     .description = "x1 <= x2, by value; complex numbers in lexicographic order",
     .signatures = {"bool(T x1, T x2) where T: bool, " KILN_INTEGERS, "bool(int64, uint64)", "bool(uint64, int64)",
                    "bool(T, T) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return less_or_equal(x1, x2);"},
    {.name = "greater",
     .description = "x1 > x2, by value; complex numbers in lexicographic order",
     .signatures = {"bool(T x1, T x2) where T: bool, " KILN_INTEGERS, "bool(int64, uint64)", "bool(uint64, int64)",
                    "bool(T, T) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return less_than(x2, x1);"},
    {.name = "greater_equal",
     .description = "x1 >= x2, by value; complex numbers in lexicographic order",
     .signatures = {"bool(T x1, T x2) where T: bool, " KILN_INTEGERS, "bool(int64, uint64)", "bool(uint64, int64)",
                    "bool(T, T) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return less_or_equal(x2, x1);"},
};
constinit detail::Slot slots[std::size(kEntries)];

consteval Function make(std::string_view name) {
  const std::size_t i = detail::index_of(kEntries, name);
  return {kEntries[i], slots[i]};
}

}  // namespace

constinit const detail::Group detail::kComparison{"comparison", kEntries, slots};

constinit const Function equal = make("equal");
constinit const Function not_equal = make("not_equal");
constinit const Function less = make("less");
constinit const Function less_equal = make("less_equal");
constinit const Function greater = make("greater");
constinit const Function greater_equal = make("greater_equal");

}  // namespace kiln::math

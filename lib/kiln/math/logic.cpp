// Truth of numbers.
#include "math/dtypes.hpp"
#include "math/entry.hpp"

namespace kiln::math {
namespace {

using detail::Entry;

// Of two dtypes each has a loop of its own, as truth needs no common one: casting "no" takes them.
#define KILN_LOGICAL "bool(T x1, T x2) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES

constexpr Entry kEntries[] = {
    {.name = "logical_and",
     .description = "whether both are true; whatever is not 0 is",
     .signatures = {KILN_LOGICAL, "bool(T x1, U x2)"},
     .body = "return bool(x1) && bool(x2);",
     .identity = "true"},
    {.name = "logical_or",
     .description = "whether one is true",
     .signatures = {KILN_LOGICAL, "bool(T x1, U x2)"},
     .body = "return bool(x1) || bool(x2);",
     .identity = "false"},
    {.name = "logical_xor",
     .description = "whether just one is true",
     .signatures = {KILN_LOGICAL, "bool(T x1, U x2)"},
     .body = "return bool(x1) != bool(x2);",
     .identity = "false"},
    {.name = "logical_not",
     .description = "whether x is 0",
     .signatures = {"bool(T x) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return !bool(x);"},
};
constinit detail::Slot slots[std::size(kEntries)];

consteval Function make(std::string_view name) {
  const std::size_t i = detail::index_of(kEntries, name);
  return {kEntries[i], slots[i]};
}

}  // namespace

constinit const detail::Group detail::kLogic{"logic", kEntries, slots};

constinit const Function logical_and = make("logical_and");
constinit const Function logical_or = make("logical_or");
constinit const Function logical_xor = make("logical_xor");
constinit const Function logical_not = make("logical_not");

#undef KILN_LOGICAL

}  // namespace kiln::math

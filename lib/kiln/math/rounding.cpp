// To whole numbers.
#include "math/dtypes.hpp"
#include "math/entry.hpp"

namespace kiln::math {
namespace {

using detail::Entry;

constexpr Entry kEntries[] = {
    {.name = "rint",
     .description = "to the nearest integer, halves to the even one",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return rint(x);"},
    {.name = "floor",
     .description = "down to an integer; integers stay",
     .signatures = {"T(T x) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS},
     .body = "return round_down(x);"},
    {.name = "ceil",
     .description = "up to an integer; integers stay",
     .signatures = {"T(T x) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS},
     .body = "return round_up(x);"},
    {.name = "trunc",
     .description = "towards zero to an integer; integers stay",
     .signatures = {"T(T x) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS},
     .body = "return round_to_zero(x);"},
};
constinit detail::Slot slots[std::size(kEntries)];

consteval Function make(std::string_view name) {
  const std::size_t i = detail::index_of(kEntries, name);
  return {kEntries[i], slots[i]};
}

}  // namespace

constinit const detail::Group detail::kRounding{"rounding", kEntries, slots};

constinit const Function rint = make("rint");
constinit const Function floor = make("floor");
constinit const Function ceil = make("ceil");
constinit const Function trunc = make("trunc");

}  // namespace kiln::math

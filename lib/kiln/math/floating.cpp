// The parts of floating numbers, and their neighbours.
#include "math/dtypes.hpp"
#include "math/entry.hpp"

namespace kiln::math {
namespace {

using detail::Entry;

constexpr Entry kEntries[] = {
    {.name = "isnan",
     .description = "whether x, or a component, is not a number",
     .signatures = {"bool(T x) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return isnan(x);"},
    {.name = "isinf",
     .description = "whether x, or a component, is infinite",
     .signatures = {"bool(T x) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return isinf(x);"},
    {.name = "isfinite",
     .description = "whether x is neither infinite nor NaN",
     .signatures = {"bool(T x) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return isfinite(x);"},
    {.name = "signbit",
     .description = "whether the sign bit is set",
     .signatures = {"bool(T x) where T: " KILN_FLOATS},
     .body = "return signbit(x);"},
    {.name = "copysign",
     .description = "x1 with the sign of x2",
     .signatures = {"T(T x1, T x2) where T: " KILN_FLOATS},
     .body = "return copysign(x1, x2);"},
    {.name = "nextafter",
     .description = "the next number of the dtype behind x1 towards x2",
     .signatures = {"T(T x1, T x2) where T: " KILN_FLOATS},
     .body = "return next_number<T>(x1, x2);"},
    {.name = "spacing",
     .description = "the distance from x to the next number of the dtype away from zero",
     .signatures = {"T(T x) where T: " KILN_FLOATS},
     .body = "return spacing<T>(x);"},
    {.name = "modf",
     .description = "the fraction and the whole part, both with the sign of x",
     .signatures = {"(T fraction, T whole)(T x) where T: " KILN_FLOATS},
     .body = "auto part = x; fraction = modf(x, &part); whole = part;"},
    {.name = "ldexp",
     .description = "x1 * 2**x2, rounded once",
     .signatures = {"T(T x1, E x2) where T: " KILN_FLOATS ", E: int32, int64"},
     .body = "return scale_exponent(x1, x2);"},
    {.name = "frexp",
     .description = "the mantissa in [0.5, 1) and the exponent of 2",
     .signatures = {"(T mantissa, int32 exponent)(T x) where T: " KILN_FLOATS},
     .body = "mantissa = split_exponent(x, exponent);"},
};
constinit detail::Slot slots[std::size(kEntries)];

consteval Function make(std::string_view name) {
  const std::size_t i = detail::index_of(kEntries, name);
  return {kEntries[i], slots[i]};
}

}  // namespace

constinit const detail::Group detail::kFloating{"floating point", kEntries, slots};

constinit const Function isnan = make("isnan");
constinit const Function isinf = make("isinf");
constinit const Function isfinite = make("isfinite");
constinit const Function signbit = make("signbit");
constinit const Function copysign = make("copysign");
constinit const Function nextafter = make("nextafter");
constinit const Function spacing = make("spacing");
constinit const Function modf = make("modf");
constinit const Function ldexp = make("ldexp");
constinit const Function frexp = make("frexp");

}  // namespace kiln::math

// Circular and hyperbolic functions and their inverses.
#include "math/dtypes.hpp"
#include "math/entry.hpp"

namespace kiln::math {
namespace {

using detail::Entry;

constexpr Entry kEntries[] = {
    {.name = "sin",
     .description = "the sine",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return sin(x);"},
    {.name = "cos",
     .description = "the cosine",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return cos(x);"},
    {.name = "tan",
     .description = "the tangent",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return tan(x);"},
    {.name = "arcsin",
     .description = "the inverse of sin",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return asin(x);"},
    {.name = "arccos",
     .description = "the inverse of cos",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return acos(x);"},
    {.name = "arctan",
     .description = "the inverse of tan",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return atan(x);"},
    {.name = "arctan2",
     .description = "the angle of the point (x2, x1)",
     .signatures = {"T(T x1, T x2) where T: " KILN_FLOATS},
     .body = "return atan2(x1, x2);"},
    {.name = "hypot",
     .description = "the length of (x1, x2)",
     .signatures = {"T(T x1, T x2) where T: " KILN_FLOATS},
     .body = "return hypot(x1, x2);",
     .identity = "0"},
    {.name = "sinh",
     .description = "the hyperbolic sine",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return sinh(x);"},
    {.name = "cosh",
     .description = "the hyperbolic cosine",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return cosh(x);"},
    {.name = "tanh",
     .description = "the hyperbolic tangent",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return tanh(x);"},
    {.name = "arcsinh",
     .description = "the inverse of sinh",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return asinh(x);"},
    {.name = "arccosh",
     .description = "the inverse of cosh",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return acosh(x);"},
    {.name = "arctanh",
     .description = "the inverse of tanh",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return atanh(x);"},
    {.name = "deg2rad",
     .description = "degrees to radians",
     .signatures = {"T(T x) where T: " KILN_FLOATS},
     .body = "return x * static_cast<decltype(x)>(pi / 180);"},
    {.name = "radians",
     .description = "degrees to radians",
     .signatures = {"T(T x) where T: " KILN_FLOATS},
     .body = "return x * static_cast<decltype(x)>(pi / 180);"},
    {.name = "rad2deg",
     .description = "radians to degrees",
     .signatures = {"T(T x) where T: " KILN_FLOATS},
     .body = "return x * static_cast<decltype(x)>(180 / pi);"},
    {.name = "degrees",
     .description = "radians to degrees",
     .signatures = {"T(T x) where T: " KILN_FLOATS},
     .body = "return x * static_cast<decltype(x)>(180 / pi);"},
};
constinit detail::Slot slots[std::size(kEntries)];

consteval Function make(std::string_view name) {
  const std::size_t i = detail::index_of(kEntries, name);
  return {kEntries[i], slots[i]};
}

}  // namespace

constinit const detail::Group detail::kTrigonometry{"trigonometry", kEntries, slots};

constinit const Function sin = make("sin");
constinit const Function cos = make("cos");
constinit const Function tan = make("tan");
constinit const Function arcsin = make("arcsin");
constinit const Function arccos = make("arccos");
constinit const Function arctan = make("arctan");
constinit const Function arctan2 = make("arctan2");
constinit const Function hypot = make("hypot");
constinit const Function sinh = make("sinh");
constinit const Function cosh = make("cosh");
constinit const Function tanh = make("tanh");
constinit const Function arcsinh = make("arcsinh");
constinit const Function arccosh = make("arccosh");
constinit const Function arctanh = make("arctanh");
constinit const Function deg2rad = make("deg2rad");
constinit const Function radians = make("radians");
constinit const Function rad2deg = make("rad2deg");
constinit const Function degrees = make("degrees");

}  // namespace kiln::math

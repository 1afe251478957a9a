// Sums, products, powers and extrema.
#include "math/dtypes.hpp"
#include "math/entry.hpp"

namespace kiln::math {
namespace {

using detail::Entry;

constexpr Entry kEntries[] = {
    {.name = "add",
     .description = "x1 + x2; integers wrap, bools are or-ed",
     .signatures = {"T(T x1, T x2) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return wrapping_add(x1, x2);",
     .identity = "0",
     .widens_integers = true},
    {.name = "subtract",
     .description = "x1 - x2; integers wrap",
     .signatures = {"T(T x1, T x2) where T: " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return wrapping_subtract(x1, x2);",
     .bools_are_numbers = false},
    {.name = "multiply",
     .description = "x1 * x2; integers wrap, bools are and-ed",
     .signatures = {"T(T x1, T x2) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return wrapping_multiply(x1, x2);",
     .identity = "1",
     .widens_integers = true},
    {.name = "negative",
     .description = "-x; integers wrap",
     .signatures = {"T(T x) where T: " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return wrapping_negate(x);",
     .bools_are_numbers = false},
    {.name = "positive",
     .description = "x itself",
     .signatures = {"T(T x) where T: " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return x;",
     .bools_are_numbers = false},
    {.name = "absolute",
     .description = "the magnitude; real of a complex number",
     .signatures = {"T(T x) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS, "float32(complex64)", "float64(complex128)"},
     .body = "return abs(x);"},
    {.name = "fabs",
     .description = "the magnitude of a floating number",
     .signatures = {"T(T x) where T: " KILN_FLOATS},
     .body = "return fabs(x);"},
    {.name = "square",
     .description = "x * x; integers wrap",
     .signatures = {"T(T x) where T: " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return square(x);"},
    {.name = "sqrt",
     .description = "the square root, correctly rounded for real numbers",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return sqrt(x);"},
    {.name = "cbrt", .description = "the cube root", .signatures = {"T(T x) where T: " KILN_FLOATS}, .body = "return cbrt(x);"},
    {.name = "sign",
     .description = "-1, 0 or 1; of a complex number x / |x|",
     .signatures = {"T(T x) where T: " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return sign(x);",
     .bools_are_numbers = false},
    {.name = "power",
     .description = "x1 to the power of x2; integers wrap, and round towards zero for a negative exponent",
     .signatures = {"T(T x1, T x2) where T: " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return power(x1, x2);"},
    {.name = "float_power",
     .description = "x1 to the power of x2, in float64 or complex128",
     .signatures = {"T(T x1, T x2) where T: float64, complex128"},
     .body = "return power(x1, x2);"},
    {.name = "heaviside",
     .description = "0 below zero, 1 above, x2 at zero",
     .signatures = {"T(T x1, T x2) where T: " KILN_FLOATS},
     .body = "return heaviside(x1, x2);"},
    {.name = "gcd",
     .description = "the greatest common divisor",
     .signatures = {"T(T x1, T x2) where T: " KILN_INTEGERS},
     .body = "return gcd(x1, x2);",
     .identity = "0",
     .bools_are_numbers = false},
    {.name = "lcm",
     .description = "the least common multiple; wraps",
     .signatures = {"T(T x1, T x2) where T: " KILN_INTEGERS},
     .body = "return lcm(x1, x2);",
     .bools_are_numbers = false},
    {.name = "maximum",
     .description = "the larger; NaN wins",
     .signatures = {"T(T x1, T x2) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return maximum(x1, x2);",
     .reorderable = true},
    {.name = "minimum",
     .description = "the smaller; NaN wins",
     .signatures = {"T(T x1, T x2) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return minimum(x1, x2);",
     .reorderable = true},
    {.name = "fmax",
     .description = "the larger; NaN loses",
     .signatures = {"T(T x1, T x2) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return maximum_number(x1, x2);",
     .reorderable = true},
    {.name = "fmin",
     .description = "the smaller; NaN loses",
     .signatures = {"T(T x1, T x2) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return minimum_number(x1, x2);",
     .reorderable = true},
    {.name = "clip",
     .description = "x limited to the range from low to high",
     .signatures = {"T(T x, T low, T high) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return minimum(maximum(x, low), high);"},
};
constinit detail::Slot slots[std::size(kEntries)];

consteval Function make(std::string_view name) {
  const std::size_t i = detail::index_of(kEntries, name);
  return {kEntries[i], slots[i]};
}

}  // namespace

constinit const detail::Group detail::kArithmetic{"arithmetic", kEntries, slots};

constinit const Function add = make("add");
constinit const Function subtract = make("subtract");
constinit const Function multiply = make("multiply");
constinit const Function negative = make("negative");
constinit const Function positive = make("positive");
constinit const Function absolute = make("absolute");
constinit const Function fabs = make("fabs");
constinit const Function square = make("square");
constinit const Function sqrt = make("sqrt");
constinit const Function cbrt = make("cbrt");
constinit const Function sign = make("sign");
constinit const Function power = make("power");
constinit const Function float_power = make("float_power");
constinit const Function heaviside = make("heaviside");
constinit const Function gcd = make("gcd");
constinit const Function lcm = make("lcm");
constinit const Function maximum = make("maximum");
constinit const Function minimum = make("minimum");
constinit const Function fmax = make("fmax");
constinit const Function fmin = make("fmin");
constinit const Function clip = make("clip");
constinit const Function abs = make("absolute");

}  // namespace kiln::math

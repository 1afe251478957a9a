// Exponentials and logarithms.
#include "math/dtypes.hpp"
#include "math/entry.hpp"

namespace kiln::math {
namespace {

using detail::Entry;

constexpr Entry kEntries[] = {
    {.name = "exp",
     .description = "e to the power of x",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return exp(x);"},
    {.name = "exp2",
     .description = "2 to the power of x",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return exp2(x);"},
    {.name = "expm1",
     .description = "exp(x) - 1, exact near 0",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return expm1(x);"},
    {.name = "log",
     .description = "the natural logarithm",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return log(x);"},
    {.name = "log2",
     .description = "the logarithm to base 2",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return log2(x);"},
    {.name = "log10",
     .description = "the logarithm to base 10",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return log10(x);"},
    {.name = "log1p",
     .description = "log(1 + x), exact near 0",
     .signatures = {"T(T x) where T: " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return log1p(x);"},
    {.name = "logaddexp",
     .description = "log(exp(x1) + exp(x2)), without overflow",
     .signatures = {"T(T x1, T x2) where T: " KILN_FLOATS},
     .body = "return logaddexp(x1, x2);",
     .identity = "-INFINITY"},
    {.name = "logaddexp2",
     .description = "log2(2**x1 + 2**x2), without overflow",
     .signatures = {"T(T x1, T x2) where T: " KILN_FLOATS},
     .body = "return logaddexp2(x1, x2);",
     .identity = "-INFINITY"},
};
constinit detail::Slot slots[std::size(kEntries)];

consteval Function make(std::string_view name) {
  const std::size_t i = detail::index_of(kEntries, name);
  return {kEntries[i], slots[i]};
}

}  // namespace

constinit const detail::Group detail::kExponential{"exponential", kEntries, slots};

constinit const Function exp = make("exp");
constinit const Function exp2 = make("exp2");
constinit const Function expm1 = make("expm1");
constinit const Function log = make("log");
constinit const Function log2 = make("log2");
constinit const Function log10 = make("log10");
constinit const Function log1p = make("log1p");
constinit const Function logaddexp = make("logaddexp");
constinit const Function logaddexp2 = make("logaddexp2");

}  // namespace kiln::math

// Components of complex numbers.
#include "math/dtypes.hpp"
#include "math/entry.hpp"

namespace kiln::math {
namespace {

using detail::Entry;

constexpr Entry kEntries[] = {
    {.name = "real",
     .description = "the real part",
     .signatures = {"T(T x) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS, "float32(complex64)", "float64(complex128)"},
     .body = "return real(x);"},
    {.name = "imag",
     .description = "the imaginary part",
     .signatures = {"T(T x) where T: bool, " KILN_INTEGERS ", " KILN_FLOATS, "float32(complex64)", "float64(complex128)"},
     .body = "return imag(x);"},
    {.name = "conjugate",
     .description = "the number with the other imaginary part",
     .signatures = {"T(T x) where T: " KILN_INTEGERS ", " KILN_FLOATS ", " KILN_COMPLEXES},
     .body = "return conj(x);"},
    {.name = "angle",
     .description = "the angle from the positive real axis, in radians",
     .signatures = {"T(T x) where T: " KILN_FLOATS, "float32(complex64)", "float64(complex128)"},
     .body = "return arg(x);"},
};
constinit detail::Slot slots[std::size(kEntries)];

consteval Function make(std::string_view name) {
  const std::size_t i = detail::index_of(kEntries, name);
  return {kEntries[i], slots[i]};
}

}  // namespace

constinit const detail::Group detail::kComplex{"complex numbers", kEntries, slots};

constinit const Function real = make("real");
constinit const Function imag = make("imag");
constinit const Function conjugate = make("conjugate");
constinit const Function angle = make("angle");
constinit const Function conj = make("conjugate");

}  // namespace kiln::math

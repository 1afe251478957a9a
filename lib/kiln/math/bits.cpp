// Bits and shifts of integers.
#include "math/dtypes.hpp"
#include "math/entry.hpp"

namespace kiln::math {
namespace {

using detail::Entry;

constexpr Entry kEntries[] = {
    {.name = "bitwise_and",
     .description = "bits set in both",
     .signatures = {"T(T x1, T x2) where T: bool, " KILN_INTEGERS},
     .body = "return x1 & x2;",
     .identity = "-1"},
    {.name = "bitwise_or",
     .description = "bits set in one or both",
     .signatures = {"T(T x1, T x2) where T: bool, " KILN_INTEGERS},
     .body = "return x1 | x2;",
     .identity = "0"},
    {.name = "bitwise_xor",
     .description = "bits set in one alone",
     .signatures = {"T(T x1, T x2) where T: bool, " KILN_INTEGERS},
     .body = "return x1 ^ x2;",
     .identity = "0"},
    {.name = "invert",
     .description = "every bit inverted; not, of a bool",
     .signatures = {"T(T x) where T: bool, " KILN_INTEGERS},
     .body = "return bit_not(x);"},
    {.name = "left_shift",
     .description = "x1 * 2**x2, wrapping; 0 where x2 is negative or the width and more",
     .signatures = {"T(T x1, T x2) where T: " KILN_INTEGERS},
     .body = "return shift_left(x1, x2);"},
    {.name = "right_shift",
     .description = "x1 / 2**x2 rounded down; all sign where x2 is negative or the width and more",
     .signatures = {"T(T x1, T x2) where T: " KILN_INTEGERS},
     .body = "return shift_right(x1, x2);"},
    {.name = "bitwise_count",
     .description = "how many bits the magnitude has set",
     .signatures = {"uint8(T x) where T: " KILN_INTEGERS},
     .body = "return bit_count(x);"},
};
constinit detail::Slot slots[std::size(kEntries)];

consteval Function make(std::string_view name) {
  const std::size_t i = detail::index_of(kEntries, name);
  return {kEntries[i], slots[i]};
}

}  // namespace

constinit const detail::Group detail::kBits{"bits", kEntries, slots};

constinit const Function bitwise_and = make("bitwise_and");
constinit const Function bitwise_or = make("bitwise_or");
constinit const Function bitwise_xor = make("bitwise_xor");
constinit const Function invert = make("invert");
constinit const Function left_shift = make("left_shift");
constinit const Function right_shift = make("right_shift");
constinit const Function bitwise_count = make("bitwise_count");

}  // namespace kiln::math

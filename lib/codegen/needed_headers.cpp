// The names that each header of kernels-src offers, looked for in the user's text.
#include "codegen/needed_headers.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "codegen/kernel_text.hpp"
#include "codegen/scanner.hpp"
#include "types/is_half.hpp"

namespace kiln::codegen {
namespace {

using Names = std::set<std::string, std::less<>>;

struct Used {
  Names names;
  bool includes = false;
};

void collect(std::string_view text, Used& used) {
  try {
    Scanner scanner(text);
    bool hash = false;
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      if (token.kind == Token::Kind::identifier) {
        used.includes = used.includes || (hash && token.text == "include");
        used.names.insert(token.text);
      }
      hash = token.kind == Token::Kind::hash;
    }
  } catch (const ScanError&) {
    // check_text refuses such a text; whoever renders it nevertheless lets the compiler say so.
  }
}

constexpr std::array kMath{"sqrt", "rsqrt",    "exp",      "log",      "sin",     "cos",   "sincos",   "hypot",
                           "fabs", "abs",      "floor",    "fmin",     "fmax",    "min",   "max",      "clamp",
                           "fma",  "sign",     "copysign", "pi",       "isnan",   "isinf", "isfinite", "M_PI",
                           "M_E",  "INFINITY", "NAN",      "HUGE_VAL", "signbit", "real",  "imag",     "conj"};
constexpr std::array kPower{"pow"};
constexpr std::array kExponential{"cbrt", "exp2", "expm1", "log2", "log10", "log1p"};
constexpr std::array kTrigonometry{"tan",  "asin", "acos",  "atan",  "atan2", "sinh",
                                   "cosh", "tanh", "asinh", "acosh", "atanh", "arg"};
constexpr std::array kRounding{"ceil", "trunc", "round", "rint", "nearbyint", "fmod", "remainder"};
constexpr std::array kSpecial{"erf",       "erfc", "tgamma", "lgamma", "ldexp",  "frexp",   "modf",  "ilogb",
                              "nextafter", "fdim", "logb",   "scalbn", "lround", "llround", "lrint", "llrint"};
constexpr std::array kIntegers{"wrapping_add",
                               "wrapping_subtract",
                               "wrapping_multiply",
                               "wrapping_negate",
                               "square",
                               "magnitude",
                               "truncated_divide",
                               "truncated_remainder",
                               "floor_divide",
                               "floor_remainder",
                               "shift_left",
                               "shift_right",
                               "integer_power",
                               "gcd",
                               "lcm",
                               "bit_count",
                               "equal_to",
                               "less_than",
                               "less_or_equal",
                               "bit_not"};
constexpr std::array kFloating{
    "truncated_remainder", "floor_divide",   "floor_remainder", "floor_divmod", "maximum",  "minimum",
    "maximum_number",      "minimum_number", "heaviside",       "next_number",  "spacing",  "split_exponent",
    "scale_exponent",      "true_divide",    "reciprocal",      "round_down",   "round_up", "round_to_zero"};
constexpr std::array kPowers{"power"};
constexpr std::array kLogaddexp{"logaddexp", "logaddexp2"};
constexpr std::array kComplexParts{"abs", "norm", "conj", "proj", "isnan", "isinf", "isfinite", "real", "imag"};
constexpr std::array kComplexMath{"arg",   "polar", "exp",   "log",   "log2",  "log10", "sqrt", "pow",
                                  "power", "sin",   "cos",   "tan",   "sinh",  "cosh",  "tanh", "asin",
                                  "acos",  "atan",  "asinh", "acosh", "atanh", "expm1", "exp2", "log1p"};
constexpr std::array kComplexArithmetic{"equal_to",   "less_than",      "less_or_equal",  "maximum",
                                        "minimum",    "maximum_number", "minimum_number", "true_divide",
                                        "reciprocal", "rint",           "square",         "sign"};

template <std::size_t N>
bool uses(const Used& used, const std::array<const char*, N>& names) {
  return used.includes || std::any_of(names.begin(), names.end(), [&](std::string_view n) { return used.names.contains(n); });
}
bool uses(const Used& used, std::initializer_list<std::string_view> names) {
  return used.includes || std::any_of(names.begin(), names.end(), [&](std::string_view n) { return used.names.contains(n); });
}

}  // namespace

bool names_any(std::string_view text, std::span<const std::string_view> names) {
  Used used;
  collect(text, used);
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return used.names.contains(name); });
}

std::vector<std::string> needed_headers(const UserText& text, const KernelSpec& spec, DeviceKind target) {
  Used used;
  for (const auto& [file, part] : texts_of(text)) {
    collect(part, used);
  }
  bool half = uses(used, {"float16", "bfloat16"});
  bool complex = uses(used, {"complex64", "complex128", "complex"});
  const auto look = [&](DType dtype) {
    half = half || is_half(dtype);
    complex = complex || kind(dtype) == Kind::complex;
  };
  const Operation operation = std::visit([](const auto& kernel) { return operation_of(kernel); }, spec);
  const std::vector<DType> storage = std::visit([](const auto& kernel) { return storage_of(kernel); }, spec);
  for (const auto* dtypes : {&operation.inputs, &operation.outputs, &storage}) {
    std::for_each(dtypes->begin(), dtypes->end(), look);
  }
  for (const auto& variable : text.type_variables) {
    look(variable.second);
  }
  std::vector<std::string> headers{"kiln/types.hpp"};
  if (half) {
    headers.emplace_back("kiln/half.hpp");
  }
  if (complex) {
    headers.emplace_back("kiln/complex.hpp");
  }
  if (uses(used, kMath)) {
    headers.emplace_back("kiln/math.hpp");
  }
  if (uses(used, kPower)) {
    headers.emplace_back("kiln/power.hpp");
  }
  if (uses(used, kExponential)) {
    headers.emplace_back("kiln/exponential.hpp");
  }
  if (uses(used, kTrigonometry)) {
    headers.emplace_back("kiln/trigonometry.hpp");
  }
  if (uses(used, kRounding)) {
    headers.emplace_back("kiln/rounding.hpp");
  }
  if (uses(used, kIntegers)) {
    headers.emplace_back("kiln/integers.hpp");
  }
  if (uses(used, kFloating)) {
    headers.emplace_back("kiln/floating.hpp");
  }
  if (uses(used, kPowers)) {
    headers.emplace_back("kiln/powers.hpp");
  }
  if (uses(used, kLogaddexp)) {
    headers.emplace_back("kiln/logaddexp.hpp");
  }
  if (uses(used, kSpecial)) {
    headers.emplace_back("kiln/special.hpp");
  }
  if (complex && uses(used, kComplexParts)) {
    headers.emplace_back("kiln/complex_parts.hpp");
  }
  if (complex && uses(used, kComplexMath)) {
    headers.emplace_back("kiln/complex_math.hpp");
  }
  if (complex && uses(used, kComplexArithmetic)) {
    headers.emplace_back("kiln/complex_arithmetic.hpp");
  }
  headers.push_back(std::visit([&](const auto& kernel) { return loop_header(kernel, target); }, spec));
  return headers;
}

}  // namespace kiln::codegen

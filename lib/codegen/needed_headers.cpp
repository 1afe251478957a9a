// The names that each header of kernels-src offers, looked for in the user's text.
#include "codegen/needed_headers.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "codegen/directives.hpp"
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

constexpr std::string_view kMath[] = {"sqrt",  "rsqrt",    "fabs", "abs",      "floor",   "fmin",  "fmax",  "min",      "max",
                                      "clamp", "fma",      "sign", "copysign", "pi",      "isnan", "isinf", "isfinite", "M_PI",
                                      "M_E",   "INFINITY", "NAN",  "HUGE_VAL", "signbit", "real",  "imag",  "conj"};
constexpr std::string_view kExp[] = {"exp"};
constexpr std::string_view kLog[] = {"log"};
constexpr std::string_view kHypot[] = {"hypot"};
constexpr std::string_view kCircular[] = {"sin", "cos", "tan", "sincos"};
constexpr std::string_view kPower[] = {"pow"};
constexpr std::string_view kExponential[] = {"cbrt", "exp2", "expm1", "log2", "log10", "log1p"};
constexpr std::string_view kTrigonometry[] = {"asin", "acos",  "atan",  "atan2", "sinh", "cosh",
                                              "tanh", "asinh", "acosh", "atanh", "arg"};
constexpr std::string_view kRounding[] = {"ceil", "trunc", "round", "rint", "nearbyint", "fmod", "remainder"};
constexpr std::string_view kSpecial[] = {"erf",       "erfc", "tgamma", "lgamma", "ldexp",  "frexp",   "modf",  "ilogb",
                                         "nextafter", "fdim", "logb",   "scalbn", "lround", "llround", "lrint", "llrint"};
constexpr std::string_view kIntegers[] = {"wrapping_add",
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
constexpr std::string_view kFloating[] = {
    "truncated_remainder", "floor_divide",   "floor_remainder", "floor_divmod", "maximum", "minimum",
    "maximum_number",      "minimum_number", "heaviside",       "next_number",  "spacing", "true_divide",
    "reciprocal",          "round_down",     "round_up",        "round_to_zero"};
constexpr std::string_view kExponents[] = {"split_exponent", "scale_exponent"};
constexpr std::string_view kPowers[] = {"power"};
constexpr std::string_view kLogaddexp[] = {"logaddexp", "logaddexp2"};
constexpr std::string_view kComplexParts[] = {"abs", "norm", "conj", "proj", "isnan", "isinf", "isfinite", "real", "imag"};
constexpr std::string_view kComplexMath[] = {"arg",   "polar", "exp",   "log",   "log2",  "log10", "sqrt", "pow",
                                             "power", "sin",   "cos",   "tan",   "sinh",  "cosh",  "tanh", "asin",
                                             "acos",  "atan",  "asinh", "acosh", "atanh", "expm1", "exp2", "log1p"};
constexpr std::string_view kComplexArithmetic[] = {"equal_to",   "less_than",      "less_or_equal",  "maximum",
                                                   "minimum",    "maximum_number", "minimum_number", "true_divide",
                                                   "reciprocal", "rint",           "square",         "sign"};

/// A header of kernels-src and the names that it offers.
struct Offer {
  const char* header;
  std::span<const std::string_view> names;
  bool for_complex = false;  ///< needed beside complex numbers only
};

constexpr Offer kOffers[] = {{"kiln/math/math.hpp", kMath},
                             {"kiln/math/exp.hpp", kExp},
                             {"kiln/math/log.hpp", kLog},
                             {"kiln/math/hypot.hpp", kHypot},
                             {"kiln/math/circular.hpp", kCircular},
                             {"kiln/math/power.hpp", kPower},
                             {"kiln/math/exponential.hpp", kExponential},
                             {"kiln/math/trigonometry.hpp", kTrigonometry},
                             {"kiln/math/rounding.hpp", kRounding},
                             {"kiln/math/integers.hpp", kIntegers},
                             {"kiln/math/floating.hpp", kFloating},
                             {"kiln/math/exponents.hpp", kExponents},
                             {"kiln/math/powers.hpp", kPowers},
                             {"kiln/math/logaddexp.hpp", kLogaddexp},
                             {"kiln/math/special.hpp", kSpecial},
                             {"kiln/math/complex_parts.hpp", kComplexParts, true},
                             {"kiln/math/complex_math.hpp", kComplexMath, true},
                             {"kiln/math/complex_arithmetic.hpp", kComplexArithmetic, true}};

constexpr std::string_view kHalves[] = {"float16", "bfloat16"};
constexpr std::string_view kAssertions[] = {"assert", "print"};
constexpr std::string_view kStatus[] = {"fail_status"};
constexpr std::string_view kComplex[] = {"complex64", "complex128", "complex"};

bool holds_any(const Names& used, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return used.contains(name); });
}

/// An included file may use any name.
bool uses(const Used& used, std::span<const std::string_view> names) {
  return used.includes || holds_any(used.names, names);
}

/// Whether the text defines a macro or declares a function called assert or print.
bool has_assertions_of_its_own(const std::string& text) {
  constexpr std::string_view kNoTypes[] = {"return", "else", "do", "case", "and", "or", "not", "throw"};
  const std::set<std::string> macros = macros_of(text);
  if (std::ranges::any_of(kAssertions, [&](std::string_view name) { return macros.contains(std::string(name)); })) return true;
  try {
    Scanner scanner(text);
    Token before;
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      const bool is_name =
          token.kind == Token::Kind::identifier && std::ranges::find(kAssertions, token.text) != std::end(kAssertions);
      // "void assert(": a word that is no keyword of a statement stands before the name of what is declared.
      if (is_name && before.kind == Token::Kind::identifier && std::ranges::find(kNoTypes, before.text) == std::end(kNoTypes))
        return true;
      before = std::move(token);
    }
  } catch (const ScanError&) {  // the compiler says so
  }
  return false;
}

}  // namespace

bool names_any(std::string_view text, std::span<const std::string_view> names) {
  Used used;
  collect(text, used);
  return holds_any(used.names, names);
}

bool reports_status(const UserText& text) {
  return std::ranges::any_of(texts_of(text), [](const auto& each) { return names_any(each.second, kStatus); });
}

bool is_function(std::string_view name) {
  return std::ranges::any_of(kOffers,
                             [&](const Offer& offer) { return std::ranges::find(offer.names, name) != offer.names.end(); });
}

std::vector<std::string> needed_headers(const UserText& text, std::span<const DType> dtypes, bool divides) {
  Used used;
  for (const auto& [file, part] : texts_of(text)) {
    collect(part, used);
  }
  bool half = uses(used, kHalves);
  bool complex = uses(used, kComplex);
  const auto look = [&](DType dtype) {
    half = half || is_half(dtype);
    complex = complex || kind(dtype) == Kind::complex;
  };
  std::ranges::for_each(dtypes, look);
  for (const auto& variable : text.type_variables) {
    look(variable.second);
  }
  std::vector<std::string> headers{"kiln/core/types.hpp"};
  if (half) {
    headers.emplace_back("kiln/core/half.hpp");
  }
  if (complex) {
    headers.emplace_back("kiln/core/complex.hpp");
  }
  for (const Offer& offer : kOffers) {
    if ((complex || !offer.for_complex) && uses(used, offer.names)) headers.emplace_back(offer.header);
  }
  // Not where the texts have their own; an included file may, and has use for these in debug mode at best.
  const bool own = std::ranges::any_of(texts_of(text), [](const auto& each) { return has_assertions_of_its_own(each.second); });
  if (!own && (holds_any(used.names, kAssertions) || (used.includes && text.debug.any()))) {
    headers.emplace_back("kiln/core/assertions.hpp");
  }
  if (divides) headers.emplace_back("kiln/core/division.hpp");
  if (holds_any(used.names, kStatus)) headers.emplace_back("kiln/core/status.hpp");
  return headers;
}

}  // namespace kiln::codegen

// The names that each header of kernels-src offers, looked for in the user's text.
#include "source/needed_headers.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "source/cuda_names.hpp"
#include "source/cuda_words.hpp"
#include "source/directives.hpp"
#include "source/embedded.hpp"
#include "source/scanner.hpp"
#include "types/each_dtype.hpp"

namespace kiln::codegen {
namespace {

using Names = std::set<std::string, std::less<>>;

struct Used {
  Names names;           ///< with numbers, of which names may be pasted together
  Names called;          ///< those before a "(" or a "<"
  bool pastes = false;   ///< two of them may become one
  bool defines = false;  ///< one may stand for another
};

void collect(std::string_view text, Used& used) {
  used.pastes = used.pastes || text.find("##") != std::string_view::npos || text.find("%:%:") != std::string_view::npos;
  used.defines = used.defines || text.find("define") != std::string_view::npos;
  try {
    Scanner scanner(text);
    std::string before;
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      if (token.text == "(" || token.text == "<") used.called.insert(before);
      if (token.kind == Token::Kind::identifier || token.kind == Token::Kind::number) used.names.insert(token.text);
      before = token.text;
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
constexpr std::string_view kSpecial[] = {"erf",     "erfc",   "tgamma",    "lgamma", "ldexp", "frexp",
                                         "modf",    "ilogb",  "nextafter", "fdim",   "logb",  "scalbn",
                                         "scalbln", "lround", "llround",   "lrint",  "llrint"};
// The same header's as kSpecial, that a device function may be called: C has none of them, or a macro.
constexpr std::string_view kSpecialOfCxx[] = {"lerp", "fpclassify", "isnormal"};
// C's and CUDA's names (c_names.hpp). Those that end in "f" are of the function without it, whose header they need.
constexpr std::string_view kSingles[] = {
    "sqrtf",    "rsqrtf",     "cbrtf",          "expf",           "exp2f",    "expm1f",    "logf",      "log2f",
    "log10f",   "log1pf",     "sinf",           "cosf",           "tanf",     "asinf",     "acosf",     "atanf",
    "sinhf",    "coshf",      "tanhf",          "asinhf",         "acoshf",   "atanhf",    "fabsf",     "floorf",
    "ceilf",    "truncf",     "roundf",         "rintf",          "erff",     "erfcf",     "logbf",     "powf",
    "fmodf",    "remainderf", "hypotf",         "atan2f",         "fminf",    "fmaxf",     "fdimf",     "nearbyintf",
    "fmaf",     "ldexpf",     "frexpf",         "scalbnf",        "modff",    "copysignf", "tgammaf",   "lgammaf",
    "ilogbf",   "nextafterf", "lrintf",         "lroundf",        "llrintf",  "llroundf",  "sincosf",   "erfinvf",
    "erfcinvf", "erfcxf",     "normcdff",       "normcdfinvf",    "j0f",      "j1f",       "jnf",       "y0f",
    "y1f",      "ynf",        "cyl_bessel_i0f", "cyl_bessel_i1f", "sinpif",   "cospif",    "sincospif", "rcbrtf",
    "rhypotf",  "norm3df",    "norm4df",        "rnorm3df",       "rnorm4df", "normf",     "rnormf",    "scalblnf"};
constexpr std::string_view kOfC[] = {"exp10", "exp10f", "fdividef", "nan", "nanf", "labs", "llabs", "popcount"};
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
constexpr std::string_view kRandomBits[] = {"philox", "threefry", "random_bits"};
constexpr std::string_view kRandom[] = {"uniform", "normal", "exponential"};
constexpr std::string_view kPoisson[] = {"poisson"};
constexpr std::string_view kPowers[] = {"power"};
constexpr std::string_view kLogaddexp[] = {"logaddexp", "logaddexp2"};
constexpr std::string_view kComplexParts[] = {"abs", "norm", "conj", "proj", "isnan", "isinf", "isfinite", "real", "imag"};
constexpr std::string_view kComplexMath[] = {"arg",   "polar", "exp",   "log",   "log2",  "log10", "sqrt", "pow",
                                             "power", "sin",   "cos",   "tan",   "sinh",  "cosh",  "tanh", "asin",
                                             "acos",  "atan",  "asinh", "acosh", "atanh", "expm1", "exp2", "log1p"};
constexpr std::string_view kComplexArithmetic[] = {"equal_to",       "less_than",      "less_or_equal", "maximum",    "minimum",
                                                   "maximum_number", "minimum_number", "true_divide",   "reciprocal", "rint",
                                                   "square",         "sign",           "min",           "max"};

// Names beside functions: constants, types, and what the standard library has.
constexpr std::string_view kConstants[] = {
    "HUGE_VALF",      "MAXFLOAT",        "FP_NAN",          "FP_INFINITE",  "FP_ZERO",      "FP_SUBNORMAL",   "FP_NORMAL",
    "NULL",           "M_LOG2E",         "M_LOG10E",        "M_LN2",        "M_LN10",       "M_PI_2",         "M_PI_4",
    "M_1_PI",         "M_2_PI",          "M_2_SQRTPI",      "M_SQRT2",      "M_SQRT1_2",    "FLT_RADIX",      "DECIMAL_DIG",
    "FLT_MANT_DIG",   "FLT_DIG",         "FLT_DECIMAL_DIG", "FLT_MIN_EXP",  "FLT_MAX_EXP",  "FLT_MIN_10_EXP", "FLT_MAX",
    "FLT_MIN",        "FLT_EPSILON",     "FLT_MAX_10_EXP",  "DBL_MANT_DIG", "DBL_DIG",      "DBL_MAX",        "DBL_MIN",
    "DBL_EPSILON",    "DBL_DECIMAL_DIG", "DBL_MIN_EXP",     "DBL_MAX_EXP",  "DBL_TRUE_MIN", "FLT_TRUE_MIN",   "DBL_MIN_10_EXP",
    "DBL_MAX_10_EXP", "CHAR_BIT",        "CHAR_MIN",        "CHAR_MAX",     "SCHAR_MIN",    "SCHAR_MAX",      "UCHAR_MAX",
    "SHRT_MIN",       "SHRT_MAX",        "USHRT_MAX",       "INT_MIN",      "INT_MAX",      "UINT_MAX",       "LONG_MIN",
    "LONG_MAX",       "ULONG_MAX",       "LLONG_MIN",       "LLONG_MAX",    "ULLONG_MAX",   "INT8_MIN",       "INT8_MAX",
    "UINT8_MAX",      "INT16_MIN",       "INT16_MAX",       "UINT16_MAX",   "INT32_MIN",    "INT32_MAX",      "UINT32_MAX",
    "INT64_MIN",      "INT64_MAX",       "UINT64_MAX",      "SIZE_MAX",     "PTRDIFF_MIN",  "PTRDIFF_MAX"};
constexpr std::string_view kTypesOfC[] = {
    "uchar",         "uint",          "ushort",         "ulong",          "intptr_t",      "uintptr_t",     "intmax_t",
    "uintmax_t",     "nullptr_t",     "max_align_t",    "int_least8_t",   "int_least16_t", "int_least32_t", "int_least64_t",
    "uint_least8_t", "int_fast8_t",   "int_fast16_t",   "int_fast32_t",   "int_fast64_t",  "uint_fast8_t",  "uint_fast16_t",
    "uint_fast32_t", "uint_fast64_t", "uint_least16_t", "uint_least32_t", "uint_least64_t"};
constexpr std::string_view kLimits[] = {"numeric_limits"};
constexpr std::string_view kArray[] = {"array"};
constexpr std::string_view kInitializerList[] = {"initializer_list"};
constexpr std::string_view kByte[] = {"byte", "to_integer"};
constexpr std::string_view kBit[] = {"bit_width", "countl_zero", "countr_zero", "countl_one", "countr_one", "has_single_bit",
                                     "bit_ceil",  "bit_floor",   "rotl",        "rotr",       "byteswap"};
constexpr std::string_view kUtility[] = {"declval", "move",      "forward", "swap",          "exchange",
                                         "pair",    "make_pair", "minmax",  "invoke_result", "invoke_result_t"};
constexpr std::string_view kTraits[] = {"integral_constant", "bool_constant", "true_type", "false_type", "void_t",
                                        "type_identity", "type_identity_t", "enable_if", "enable_if_t", "conditional",
                                        "conditional_t", "common_type", "common_type_t", "conjunction", "conjunction_v",
                                        "disjunction", "disjunction_v", "negation", "negation_v", "is_constant_evaluated",
                                        // "remove_const" and "remove_const_t", "is_same" and "is_same_v" of these.
                                        "remove_", "add_", "make_signed", "make_unsigned", "decay", "underlying_type", "is_"};

/// A header of kernels-src and the names that it offers.
struct Offer {
  const char* header;
  std::span<const std::string_view> names;
  bool for_complex = false;  ///< needed beside complex numbers only
  bool if_called = false;    ///< its names are those of variables elsewhere, and it costs milliseconds
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
                             {"kiln/math/error_functions.hpp", kErrorFunctions, false, true},
                             {"kiln/math/bessel.hpp", kBessel, false, true},
                             {"kiln/math/half_turns.hpp", kHalfTurns, false, true},
                             {"kiln/math/reciprocal_roots.hpp", kReciprocalRoots, false, true},
                             {"kiln/math/complex_parts.hpp", kComplexParts, true},
                             {"kiln/math/complex_math.hpp", kComplexMath, true},
                             {"kiln/math/complex_arithmetic.hpp", kComplexArithmetic, true}};

constexpr std::string_view kRawArray[] = {"raw_array"};

/// Behind those: what they are made of.
constexpr Offer kOthers[] = {{"kiln/math/special.hpp", kSpecialOfCxx},
                             {"kiln/math/lengths.hpp", kLengths, false, true},
                             {"kiln/math/c_names.hpp", kSingles},
                             {"kiln/math/c_names.hpp", kOfC},
                             {"kiln/core/constants.hpp", kConstants},
                             {"kiln/core/c_types.hpp", kTypesOfC},
                             {"kiln/core/limits.hpp", kLimits},
                             {"kiln/math/random_bits.hpp", kRandomBits, false, true},
                             {"kiln/math/random.hpp", kRandom, false, true},
                             {"kiln/math/poisson.hpp", kPoisson, false, true},
                             {"kiln/elementwise/raw_array.hpp", kRawArray}};
/// Headers of CUDA's and CuPy's, where a text includes them.
constexpr std::string_view kHalfHeaders[] = {"cuda_fp16.h", "cuda_bf16.h", "cupy/float16.cuh"};
constexpr std::string_view kComplexHeaders[] = {"thrust/complex.h", "cupy/complex.cuh", "thrust"};
constexpr std::string_view kConstantHeaders[] = {"math_constants.h", "cupy/math_constants.h"};
constexpr std::string_view kCupyHeaders[] = {"cupy/carray.cuh", "cupy/type_traits.cuh", "cupy/atomics.cuh", "cupy/float16.cuh"};

/// Of texts that name `std` or include a header of its.
constexpr Offer kOfStd[] = {{"kiln/core/array.hpp", kArray},
                            {"kiln/core/c_types.hpp", kByte},
                            {"kiln/core/bit.hpp", kBit},
                            {"kiln/core/utility.hpp", kUtility},
                            {"kiln/core/initializer_list.hpp", kInitializerList}};

constexpr std::string_view kWideIntegers[] = {"__int128", "__int128_t", "__uint128_t"};
constexpr std::string_view kVirtual[] = {"virtual"};
constexpr std::string_view kAssertions[] = {"assert", "print"};
constexpr std::string_view kStatus[] = {"fail_status"};
constexpr std::string_view kComplex[] = {"complex"};

bool holds_any(const Names& used, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return used.contains(name); });
}

/// Whether words are consecutive in the name.
bool is_made_of(std::string_view name, const Names& words) {
  std::vector<bool> ends(name.size() + 1);  // of words that begin where others end
  ends[0] = true;
  for (std::size_t begin = 0; begin < name.size(); ++begin) {
    for (std::size_t end = begin + 1; ends[begin] && end <= name.size(); ++end) {
      if (words.contains(name.substr(begin, end - begin))) ends[end] = true;
    }
  }
  return ends[name.size()];
}

bool uses(const Used& used, std::string_view name) {
  return used.names.contains(name) || (used.pastes && is_made_of(name, used.names));
}

bool uses(const Used& used, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return uses(used, name); });
}

bool uses(const Used& used, const Offer& offer) {
  const bool by_calls = offer.if_called && !used.pastes && !used.defines;
  return by_calls ? holds_any(used.called, offer.names) : uses(used, offer.names);
}

bool names_trait(const Used& used) {
  return std::any_of(used.names.begin(), used.names.end(), [](std::string_view name) {
    return std::ranges::any_of(kTraits, [&](std::string_view trait) {
      return trait.back() == '_' ? name.starts_with(trait) : name == trait || (name.ends_with("_t") && name.starts_with(trait));
    });
  });
}

/// The names of the functions that the others are made of.
void add_longer_names(Used& used) {
  for (const std::string_view name : kSingles) {
    if (!uses(used, name)) continue;
    used.names.emplace(name.substr(0, name.size() - 1));
    used.called.emplace(name.substr(0, name.size() - 1));
  }
  if (uses(used, "exp10") || uses(used, "exp10f")) used.names.emplace("pow");
  for (const auto& [name, calls] : kQuick) {
    if (uses(used, name) && !calls.empty()) used.names.emplace(calls);
  }
  for (const auto& [name, calls] : kOfHalves) {
    if (uses(used, "h" + std::string(name)) || uses(used, "h2" + std::string(name))) used.names.emplace(calls);
  }
  // The extrema of a list are beside those of two numbers.
  if (used.names.contains("algorithm")) used.names.emplace("initializer_list");
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

bool uses_cuda_words(const UserText& text) {
  const auto texts = texts_of(text);
  return std::ranges::any_of(texts, [](const auto& each) {
    const std::string_view part = each.second;
    return cuda_words_of({&part, 1}).any;
  });
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

std::vector<std::string> needed_headers(const UserText& text, std::span<const DType> dtypes, bool divides,
                                        const std::map<std::string, std::string>& included) {
  Used used;
  for (const auto& [file, part] : texts_of(text)) {
    collect(part, used);
  }
  std::vector<std::string> named;
  bool standard = used.names.contains("std");
  for (const auto& [name, part] : included) {
    if (!is_embedded(name, part) || name.starts_with("cupy/xsf/")) {
      collect(part, used);
    } else if (name.starts_with("kiln/")) {
      named.push_back(name);
    } else {
      used.names.insert(name);
      standard = true;
    }
  }
  standard = standard || used.names.contains("std");
  add_longer_names(used);
  bool half = holds_any(used.names, kHalfHeaders);
  bool complex = uses(used, kComplex) || holds_any(used.names, kComplexHeaders);
  const auto look = [&](DType dtype) {
    half = half || is_half(dtype);
    complex = complex || kind(dtype) == Kind::complex;
  };
  std::ranges::for_each(dtypes, look);
  for (std::size_t i = 0; i < kDTypeNames.size(); ++i) {
    if (uses(used, {&kDTypeNames[i], 1})) look(static_cast<DType>(i));
  }
  for (const auto& variable : text.type_variables) {
    look(variable.second);
  }
  std::vector<std::string> headers{"kiln/core/types.hpp"};
  const auto add = [&](const char* header) {
    if (std::ranges::find(headers, header) == headers.end()) headers.emplace_back(header);
  };
  if (half) add("kiln/core/half.hpp");
  if (complex) add("kiln/core/complex.hpp");
  for (const Offer& offer : kOffers) {
    if ((complex || !offer.for_complex) && uses(used, offer)) add(offer.header);
  }
  for (const Offer& offer : kOthers) {
    if (uses(used, offer)) add(offer.header);
  }
  const auto names_with = [&](const char* begin) {
    return std::ranges::any_of(used.names, [&](const std::string& name) { return name.starts_with(begin); });
  };
  // CuPy gives every kernel the names of its headers.
  const bool cupy = text.cupy || holds_any(used.names, kCupyHeaders);
  const bool names_half = used.names.contains("half") || used.names.contains("__half");
  if (used.names.contains("cuda_fp16.h") || (cupy && names_half)) add("kiln/core/cuda_fp16.hpp");
  if (used.names.contains("cuda_bf16.h")) add("kiln/core/cuda_bf16.hpp");
  if (holds_any(used.names, kComplexHeaders)) add("kiln/core/thrust.hpp");
  if (holds_any(used.names, kConstantHeaders) || (cupy && names_with("CUDART_"))) add("kiln/core/cuda_constants.hpp");
  if (used.names.contains("cuComplex.h")) add("kiln/core/cuda_complex.hpp");
  if (names_with("cuda/std/")) add("kiln/core/cuda_std.hpp");
  if (used.names.contains("cuda/std/mdspan")) add("kiln/core/mdspan.hpp");
  if (holds_any(used.names, kCupyHeaders)) add("kiln/elementwise/cupy.hpp");
  if (cupy && used.called.contains("_floor_divide")) add("kiln/elementwise/cupy_division.hpp");
  const bool quick = std::ranges::any_of(kQuick, [&](const auto& each) { return uses(used, each.first); });
  if (quick || std::ranges::any_of(used.names, is_conversion)) add("kiln/core/cuda_quick.hpp");
  if (uses_cuda_words(text)) add("kiln/core/cuda_words.hpp");
  for (const Offer& offer : kOfStd) {
    if (standard && uses(used, offer.names)) add(offer.header);
  }
  if (standard && names_trait(used)) add("kiln/core/type_traits.hpp");
  // Not where the texts have their own, or a parameter has that name: assert() is a macro.
  const auto has_own = [](const auto& each) { return has_assertions_of_its_own(each.second); };
  const auto is_assert = [](const std::string& name) { return name == "assert"; };
  const bool own = std::ranges::any_of(texts_of(text), has_own) || std::ranges::any_of(included, has_own) ||
                   std::ranges::any_of(text.input_names, is_assert) || std::ranges::any_of(text.output_names, is_assert);
  if (!own && holds_any(used.names, kAssertions)) add("kiln/core/assertions.hpp");
  // In front of divisions, which call its own.
  if (holds_any(used.names, kWideIntegers)) add("kiln/core/wide_integers.hpp");
  if (holds_any(used.names, kVirtual)) add("kiln/core/virtual_functions.hpp");
  if (divides) add("kiln/core/division.hpp");
  if (holds_any(used.names, kStatus)) add("kiln/core/status.hpp");
  for (const std::string& name : named) add(name.c_str());
  return headers;
}

}  // namespace kiln::codegen

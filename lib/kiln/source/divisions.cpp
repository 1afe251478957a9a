#include "source/divisions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

#include "types/each_dtype.hpp"

namespace kiln::codegen {
namespace {

constexpr std::array<std::string_view, 3> kFloatingTypes{"float", "double", "complex"};
// Floating-point of an argument that is.
constexpr std::array<std::string_view, 60> kFloatingFunctions{
    "sqrt",  "rsqrt", "cbrt",  "exp",       "exp2",    "expm1",     "log",    "log2",   "log10",     "log1p",
    "sin",   "cos",   "tan",   "asin",      "acos",    "atan",      "atan2",  "sinh",   "cosh",      "tanh",
    "asinh", "acosh", "atanh", "hypot",     "pow",     "power",     "fabs",   "abs",    "floor",     "ceil",
    "trunc", "round", "rint",  "nearbyint", "fmod",    "remainder", "fmin",   "fmax",   "min",       "max",
    "clamp", "fma",   "sign",  "copysign",  "erf",     "erfc",      "tgamma", "lgamma", "ldexp",     "fdim",
    "conj",  "real",  "imag",  "square",    "maximum", "minimum",   "norm",   "arg",    "logaddexp", "reciprocal"};
// What may bring types or overloads that no list of names tells.
constexpr std::array<std::string_view, 8> kOpaque{"template", "struct",  "class",    "enum",
                                                  "union",    "typedef", "operator", "concept"};
constexpr std::array<std::string_view, 4> kFloatingConstants{"pi", "M_PI", "M_E", "INFINITY"};
// What stands before a name without declaring it.
constexpr std::array<std::string_view, 9> kBeforeValues{"return", "else",  "case",      "and", "or",
                                                        "not",    "throw", "co_return", "do"};
// Deeper brackets are not read; users' own are far from it.
constexpr int kDeepest = 32;

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_floating_type(std::string_view name) {
  const auto* const dtype = std::find(kDTypeNames.begin(), kDTypeNames.end(), name);
  if (dtype == kDTypeNames.end()) return is_one_of(kFloatingTypes, name);
  return kind(static_cast<DType>(dtype - kDTypeNames.begin())) >= Kind::floating;
}

/// Not of the user's own literals.
bool is_literal_other_than_0(std::string_view number) {
  const bool hex = number.starts_with("0x") || number.starts_with("0X");
  const bool prefixed = hex || number.starts_with("0b") || number.starts_with("0B");
  const std::string_view digits = number.substr(prefixed ? 2 : 0);
  const std::size_t end = std::min(digits.find_first_not_of(hex ? "0123456789abcdefABCDEF'" : "0123456789'"), digits.size());
  return digits.substr(0, end).find_first_not_of("0'") != std::string_view::npos &&
         digits.find_first_not_of("uUlLzZ", end) == std::string_view::npos;
}

bool is_floating_literal(std::string_view number) {
  if (number.starts_with("0x") || number.starts_with("0X")) return number.find_first_of("pP") != std::string_view::npos;
  return number.find_first_of(".eE") != std::string_view::npos;
}

class DivisionReader {
 public:
  DivisionReader(std::span<const Token> tokens, const FloatingNames& known)
      : tokens_(tokens), partner_(tokens.size(), tokens.size()) {
    values_.insert(known.values.begin(), known.values.end());
    values_.insert(kFloatingConstants.begin(), kFloatingConstants.end());
    others_.insert(known.others.begin(), known.others.end());
    opaque_ = known.opaque;
    wide_ = known.wide;
    types_.insert(known.types.begin(), known.types.end());
    pair_brackets();
    for (std::size_t t = 0; t < tokens_.size(); ++t) declare(t);
    for (const std::string& name : others_) values_.erase(name);
  }

  [[nodiscard]] std::vector<std::size_t> of_integers() const {
    std::vector<std::size_t> found;
    for (std::size_t t = 0; t < tokens_.size(); ++t) {
      const bool divides = (is(t, "/") || is(t, "%")) && !(t > 0 && is_name(t - 1) && tokens_[t - 1].text == "operator");
      if (divides && !visibly_safe(t)) found.push_back(t);
    }
    return found;
  }

 private:
  using NameSet = std::set<std::string, std::less<>>;

  [[nodiscard]] bool is(std::size_t t, std::string_view text) const { return t < tokens_.size() && tokens_[t].is(text); }
  [[nodiscard]] bool is_name(std::size_t t) const { return t < tokens_.size() && tokens_[t].kind == Token::Kind::identifier; }
  [[nodiscard]] bool is_type(std::size_t t) const {
    return is_name(t) && (is_floating_type(tokens_[t].text) || types_.contains(tokens_[t].text));
  }

  [[nodiscard]] bool visibly_safe(std::size_t t) const {
    const std::size_t divisor = is(t + 1, "=") ? t + 2 : t + 1;
    if (is_number(divisor) &&
        ((!wide_ && is_literal_other_than_0(tokens_[divisor].text)) || is_floating_literal(tokens_[divisor].text))) {
      return true;
    }
    const bool cast = t > 1 && is(t - 2, ")");
    if (t > 0 && is_number(t - 1) && !cast && is_floating_literal(tokens_[t - 1].text)) return true;
    return !opaque_ && is(t, "/") && (ends_floating(t) || begins_floating(divisor, 0));
  }
  [[nodiscard]] bool is_number(std::size_t t) const { return t < tokens_.size() && tokens_[t].kind == Token::Kind::number; }

  void pair_brackets() {
    std::vector<std::size_t> open;
    for (std::size_t t = 0; t < tokens_.size(); ++t) {
      if (is(t, "(")) open.push_back(t);
      if (is(t, ")") && !open.empty()) {
        partner_[t] = open.back();
        partner_[open.back()] = t;
        open.pop_back();
      }
    }
  }

  // What the name at t is declared as, where a declaration of it may stand.
  void declare(std::size_t t) {
    if (!is_name(t)) return;
    const std::string& name = tokens_[t].text;
    opaque_ = opaque_ || is_one_of(kOpaque, name) || (name == "decltype" && !(t > 0 && is(t - 1, "<")));
    if (name == "using") return alias(t);
    if (t == 0 || is_type(t)) return;
    // No comparison is assigned to.
    if (is(t - 1, ">") && is(t + 1, "=") && !is(t + 2, "=")) return add_declared(t, others_);
    std::size_t type = t - 1;
    while (type > 0 && (is(type, "&") || is(type, "*") || (is_name(type) && tokens_[type].text == "const"))) --type;
    if (!is_name(type) || is_one_of(kBeforeValues, tokens_[type].text) || values_.contains(tokens_[type].text)) return;
    const bool pointer = is(t - 1, "*");
    const bool begins = type == 0 || is(type - 1, ";") || is(type - 1, "{") || is(type - 1, "}");
    if (pointer && !begins) return;  // a product
    const bool assigned = is(t + 1, "=") && !is(t + 2, "=");
    if (is_type(type) && !pointer) {
      add_declared(t, values_);
    } else if (tokens_[type].text == "auto" && !is(t - 1, "&") && !pointer && assigned) {
      const std::size_t end = end_of_declarator(t + 2);
      (sum_floating(t + 2, end, 0) ? values_ : others_).insert(name);
      if (is(end, ",")) add_declared(end, others_);
    } else {
      add_declared(t, others_);
    }
  }

  /// using Name = ::kiln::float32;
  void alias(std::size_t t) {
    std::size_t last = t + 1;
    while (last + 1 < tokens_.size() && !is(last + 1, ";")) ++last;
    const bool plain = is_name(t + 1) && is(t + 2, "=") && is_type(last) && (last == t + 3 || is(last - 1, "::"));
    if (plain) {
      types_.insert(tokens_[t + 1].text);
    } else {
      opaque_ = true;
    }
  }

  [[nodiscard]] std::size_t end_of_declarator(std::size_t t) const {
    const auto ends = [&] { return is(t, ";") || is(t, ",") || is(t, ")") || is(t, "{") || is(t, "}"); };
    while (t < tokens_.size() && !ends()) t = is(t, "(") ? partner_[t] + 1 : t + 1;
    return std::min(t, tokens_.size());
  }

  /// The name at t, and those that follow commas in the same declaration: of parameters only those that have no type.
  void add_declared(std::size_t t, NameSet& names) {
    if (is_name(t)) names.insert(tokens_[t].text);
    for (t = end_of_declarator(t); is(t, ","); t = end_of_declarator(t + 1)) {
      const bool assigned = is(t + 2, "=") && !is(t + 3, "=");
      if (is_name(t + 1) && (assigned || &names == &others_)) names.insert(tokens_[t + 1].text);
    }
  }

  /// Whether what begins at t, and binds closer than a division, is floating.
  [[nodiscard]] bool begins_floating(std::size_t t, int depth) const {
    while (is(t, "-") || is(t, "+")) ++t;
    if (t >= tokens_.size() || depth > kDeepest) return false;
    if (tokens_[t].kind == Token::Kind::number) return is_floating_literal(tokens_[t].text);
    if (is(t, "(")) {
      const std::size_t close = partner_[t];
      if (close >= tokens_.size()) return false;
      const bool cast = close == t + 2 && is_type(t + 1);
      return cast || (!is(close + 1, ".") && sum_floating(t + 1, close, depth + 1));
    }
    if (is(t, "::")) ++t;
    while (is_name(t) && is(t + 1, "::") && (tokens_[t].text == "std" || tokens_[t].text == "kiln")) t += 2;
    if (!is_name(t)) return false;
    if (tokens_[t].text == "static_cast" && is(t + 1, "<") && is_type(t + 2) && is(t + 3, ">")) return true;
    if (is(t + 1, "(")) {
      const std::size_t close = partner_[t + 1];
      return close < tokens_.size() && !is(close + 1, ".") && call_floating(t, depth);
    }
    return values_.contains(tokens_[t].text) && !is(t + 1, ".") && !is(t + 1, "::") && !is(t + 1, "{");
  }

  /// Whether the call of the name at t gives what is floating.
  [[nodiscard]] bool call_floating(std::size_t t, int depth) const {
    const std::string& name = tokens_[t].text;
    if (is_type(t) || values_.contains(name)) return true;
    if (!is_one_of(kFloatingFunctions, name) || others_.contains(name)) return false;
    const std::size_t close = partner_[t + 1];
    for (std::size_t begin = t + 2; begin < close;) {
      const std::size_t end = end_of_declarator(begin);
      if (sum_floating(begin, std::min(end, close), depth + 1)) return true;
      begin = end + 1;
    }
    return false;
  }

  /// Whether [begin, end) is sums and products, one of whose operands is floating.
  [[nodiscard]] bool sum_floating(std::size_t begin, std::size_t end, int depth) const {
    if (depth > kDeepest) return false;
    bool floating = false;
    bool operand = true;
    for (std::size_t t = begin; t < end; ++t) {
      if (operand) floating = floating || begins_floating(t, depth + 1);
      const bool arithmetic = is(t, "+") || is(t, "-") || is(t, "*") || is(t, "/");
      if (is(t, "(")) {
        t = partner_[t];
      } else if (tokens_[t].kind == Token::Kind::punctuation && !arithmetic && !is(t, "::") && !is(t, ".")) {
        return false;
      }
      operand = arithmetic;
    }
    return floating;
  }

  /// Whether what ends before the division at t is floating: the last factor, or one before it.
  [[nodiscard]] bool ends_floating(std::size_t t) const {
    while (t > 0) {
      const std::size_t begin = begin_of_factor(t - 1);
      if (begin >= tokens_.size()) return false;
      if (begins_floating(begin, 0)) return true;
      if (begin == 0 || !(is(begin - 1, "*") || is(begin - 1, "/"))) return false;
      t = begin - 1;
    }
    return false;
  }

  /// Where the factor begins that ends with the token at t; no token where a cast, a member or a negation may.
  [[nodiscard]] std::size_t begin_of_factor(std::size_t t) const {
    const std::size_t none = tokens_.size();
    std::size_t begin = t;
    if (is(t, ")")) {
      begin = partner_[t];
      if (begin == none) return none;
      const auto named = [&](std::size_t at) { return is_name(at) && !is_one_of(kBeforeValues, tokens_[at].text); };
      if (begin > 3 && is(begin - 1, ">") && is(begin - 3, "<") && tokens_[begin - 4].text == "static_cast") {
        begin -= 4;
      } else if (begin > 0 && is(begin - 1, ">")) {
        return none;
      } else if (begin > 0 && named(begin - 1)) {
        --begin;
      }
    } else if (!is_name(t) && tokens_[t].kind != Token::Kind::number) {
      return none;
    }
    while (begin > 1 && is(begin - 1, "::") && is_name(begin - 2)) begin -= 2;
    if (begin > 0 && is(begin - 1, "::")) --begin;
    if (begin > 2 && is(begin - 1, ")") && is_type(begin - 2) && is(begin - 3, "(")) begin -= 3;  // (float)x
    if (begin == 0) return begin;
    const bool other = is(begin - 1, ")") || is(begin - 1, "]") || is(begin - 1, ".") || is(begin - 1, "!") ||
                       is(begin - 1, "~") || (is_name(begin - 1) && !is_one_of(kBeforeValues, tokens_[begin - 1].text));
    return other ? none : begin;
  }

  std::span<const Token> tokens_;
  std::vector<std::size_t> partner_;
  NameSet values_, types_, others_;
  bool opaque_ = false;
  bool wide_ = false;
};

}  // namespace

FloatingNames floating_names(const UserText& text, bool integers) {
  FloatingNames known;
  for (const auto& [name, dtype] : text.type_variables) {
    if (kind(dtype) == Kind::floating || kind(dtype) == Kind::complex) known.types.push_back(name);
  }
  for (const auto* names : {&text.input_names, &text.output_names}) {
    std::vector<std::string_view>& list = integers ? known.others : known.values;
    list.insert(list.end(), names->begin(), names->end());
  }
  return known;
}

std::vector<std::size_t> integer_divisions(std::span<const Token> tokens, const FloatingNames& known) {
  return DivisionReader(tokens, known).of_integers();
}

}  // namespace kiln::codegen

#include "kinds/gufunc/body_traits.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/scanner.hpp"

namespace kiln::kinds {

using codegen::ScanError;
using codegen::Scanner;
using codegen::Token;
using codegen::UserText;

namespace {

// What a body of nothing but arithmetic and counted loops is written with, beside its own names.
// The last rows are functions that lanes.hpp has not, and which bodies are likely to call.
constexpr std::array<std::string_view, 95> kOther{
    "if",       "else",  "while", "do",        "switch",  "goto",      "return",   "break",   "continue", "static", "struct",
    "class",    "union", "enum",  "using",     "typedef", "template",  "auto",     "sizeof",  "asm",      "new",    "delete",
    "throw",    "try",   "float", "double",    "int",     "long",      "short",    "char",    "bool",     "data",   "row",
    "int8",     "int16", "int32", "int64",     "uint32",  "uint64",    "decltype", "exp",     "log",      "pow",    "min",
    "max",      "fmin",  "fmax",  "floor",     "ceil",    "round",     "sin",      "cos",     "tan",      "tanh",   "exp2",
    "log2",     "expm1", "log1p", "isnan",     "clamp",   "erf",       "erfc",     "asin",    "acos",     "atan",   "atan2",
    "sinh",     "cosh",  "asinh", "acosh",     "atanh",   "cbrt",      "hypot",    "tgamma",  "lgamma",   "fmod",   "ldexp",
    "copysign", "log10", "rint",  "trunc",     "square",  "sign",      "maximum",  "minimum", "power",    "conj",   "real",
    "imag",     "fma",   "norm",  "remainder", "rsqrt",   "nearbyint", "logaddexp"};
// Types of vectors of whole numbers.
constexpr std::array<std::string_view, 4> kWhole{"int32", "int64", "uint32", "uint64"};
constexpr std::string_view kOtherMarks = "?&|[#%!~^:\\";

}  // namespace

bool only_computes(const UserText& text, bool whole) {
  if (!text.preamble.empty() || !text.functions.empty()) return false;
  const auto is_in = [](const auto& words, const Token& token) {
    return std::find(words.begin(), words.end(), token.text) != words.end();
  };
  try {
    Scanner scanner(text.body);
    Token one;  // in front
    Token two;  // and in front of that
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      if (token.kind == Token::Kind::identifier) {
        const bool may = whole && two.text != "for" && is_in(kWhole, token);
        if (!may && is_in(kOther, token)) return false;
      } else if (token.kind == Token::Kind::hash || token.kind == Token::Kind::string || token.kind == Token::Kind::character) {
        return false;
      } else if (token.kind == Token::Kind::punctuation) {
        if (kOtherMarks.find(token.text[0]) != std::string_view::npos) return false;
        const bool shifts = (token.text == "<" || token.text == ">") && token.text == one.text;
        if (whole && (token.text == "/" || shifts)) return false;
      }
      two = std::move(one);
      one = std::move(token);
    }
  } catch (const ScanError&) {
    return false;
  }
  return true;
}

bool has_loop(const UserText& text) {
  Scanner scanner(text.body);
  for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
    if (token.kind == Token::Kind::identifier && token.text == "for") return true;
  }
  return false;
}

namespace {

/// The tokens of a statement, without the header of a loop in front of it.
using Statement = std::vector<Token>;

bool is(const Token& token, std::string_view text) {
  return token.kind == Token::Kind::punctuation && token.text == text;
}

/// Where the bracket at `open` closes, or the end.
std::size_t close_of(const Statement& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t t = open; t < tokens.size(); ++t) {
    if (is(tokens[t], "(")) ++depth;
    if (is(tokens[t], ")") && --depth == 0) return t;
  }
  return tokens.size();
}

/// Whether the target of an assignment that stands at [target, equals) is read behind it: anywhere if it is a number, at
/// another place if it is an element.
bool reads_itself(const Statement& tokens, std::size_t target, std::size_t equals) {
  const std::size_t length = equals - target;
  for (std::size_t t = equals + 1; t < tokens.size(); ++t) {
    if (tokens[t].kind != Token::Kind::identifier || tokens[t].text != tokens[target].text) continue;
    const bool same =
        t + length <= tokens.size() &&
        std::equal(tokens.begin() + static_cast<std::ptrdiff_t>(target), tokens.begin() + static_cast<std::ptrdiff_t>(equals),
                   tokens.begin() + static_cast<std::ptrdiff_t>(t),
                   [](const Token& a, const Token& b) { return a.text == b.text; });
    if (length == 1 || !same) return true;
  }
  return false;
}

bool is_chain(const Statement& tokens) {
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    // Deeper brackets are indices.
    if (is(tokens[t], "(")) t = close_of(tokens, t);
    if (t >= tokens.size() || tokens[t].kind != Token::Kind::punctuation) continue;
    // Marks come one by one: "+=" is two, and "==", "<=" and the like are none.
    if (tokens[t].text != "=" || t == 0) continue;
    if (t + 1 < tokens.size() && is(tokens[t + 1], "=")) ++t;
    const std::string_view before = tokens[t - 1].kind == Token::Kind::punctuation ? tokens[t - 1].text : std::string_view();
    if (before == "=" || before == "<" || before == ">" || before == "!") continue;
    const bool compound = before == "+" || before == "-" || before == "*" || before == "/";
    const std::size_t end = compound ? t - 1 : t;
    if (end == 0) continue;
    std::size_t target = end - 1;
    if (is(tokens[target], ")")) {
      int depth = 1;
      while (target > 0 && depth > 0) {
        --target;
        depth += is(tokens[target], ")") ? 1 : is(tokens[target], "(") ? -1 : 0;
      }
      if (target > 0) --target;
    }
    if (tokens[target].kind != Token::Kind::identifier) continue;
    if (compound && target + 1 == end) return true;
    if (reads_itself(tokens, target, end)) return true;
  }
  return false;
}

}  // namespace

bool has_chain(const UserText& text) {
  try {
    Scanner scanner(text.body);
    Statement statement;
    int depth = 0;
    bool header = false;
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      if (token.kind == Token::Kind::identifier && token.text == "for" && depth == 0) header = true;
      if (is(token, "(")) ++depth;
      if (is(token, ")")) --depth;
      if (header) {
        header = depth > 0 || !is(token, ")");
        continue;
      }
      if (depth == 0 && (is(token, ";") || is(token, "{") || is(token, "}"))) {
        if (is_chain(statement)) return true;
        statement.clear();
      } else {
        statement.push_back(std::move(token));
      }
    }
    return is_chain(statement);
  } catch (const ScanError&) {
    return false;
  }
}

namespace {

bool takes_address(std::string_view text) {
  Scanner scanner(text);
  Token before;
  before.kind = Token::Kind::punctuation;
  for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
    if (token.kind == Token::Kind::hash) return true;
    if (token.kind == Token::Kind::identifier && (token.text == "data" || token.text == "contiguous")) return true;
    if (token.kind == Token::Kind::punctuation && token.text[0] == '&') {
      const bool behind_value =
          before.kind == Token::Kind::number || (before.kind == Token::Kind::identifier && before.text != "return") ||
          (before.kind == Token::Kind::punctuation && std::string_view(")]>&").find(before.text[0]) != std::string_view::npos);
      if (!behind_value) return true;
    }
    before = token;
  }
  return false;
}

}  // namespace

bool sees_memory(const UserText& text) {
  if (!text.preamble.empty() || !text.defines.empty()) return true;
  try {
    return takes_address(text.body) || takes_address(text.functions);
  } catch (const ScanError&) {
    return true;
  }
}

bool computes_along(const UserText& text) {
  return only_computes(text) && has_loop(text) && !has_chain(text);
}

namespace {

// What may stand in front of a bracket and takes no time to speak of, beside operands and types of the signature.
constexpr std::array<std::string_view, 55> kCheap{
    "for",      "if",       "while",  "switch",  "return",  "sizeof",  "static_cast", "abs",       "fabs",       "min",
    "max",      "fmin",     "fmax",   "minimum", "maximum", "clamp",   "square",      "fma",       "real",       "imag",
    "conj",     "norm",     "size",   "shape",   "row",     "data",    "contiguous",  "copysign",  "signbit",    "isnan",
    "isinf",    "isfinite", "index",  "bool",    "int",     "float",   "double",      "int8",      "int16",      "int32",
    "int64",    "uint8",    "uint16", "uint32",  "uint64",  "float32", "float64",     "complex64", "complex128", "float16",
    "bfloat16", "and",      "or",     "not",     "T"};

bool is_cheap(const std::string& name, const UserText& text) {
  const auto in = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return std::find(kCheap.begin(), kCheap.end(), name) != kCheap.end() || in(text.input_names) || in(text.output_names) ||
         std::any_of(text.type_variables.begin(), text.type_variables.end(),
                     [&](const auto& type) { return type.first == name; });
}

/// Follows a body token by token: in how many loops' bodies the one that came last is.
class Loops {
 public:
  void take(const Token& token) {
    const bool word = token.kind == Token::Kind::identifier;
    // What ended with the statement in front of "else" goes on.
    if (word && token.text == "else") statements_.insert(statements_.end(), ended_, braces_);
    ended_ = 0;
    if (begins_) {
      begins_ = false;
      if (is(token, "{")) {
        blocks_.push_back(braces_);
      } else {
        statements_.push_back(braces_);
      }
    }
    if (word && (token.text == "for" || token.text == "while")) header_ = brackets_;
    if (word && token.text == "do") begins_ = true;
    if (is(token, "(")) ++brackets_;
    if (is(token, ")") && --brackets_ == header_ && header_ >= 0) {
      header_ = -1;
      begins_ = true;
    }
    if (is(token, "{")) ++braces_;
    if (is(token, "}")) --braces_;
    if (is(token, "}") && !blocks_.empty() && blocks_.back() == braces_) blocks_.pop_back();
    if (!is(token, "}") && (!is(token, ";") || header_ >= 0)) return;
    for (; !statements_.empty() && statements_.back() == braces_; ++ended_) statements_.pop_back();
  }
  [[nodiscard]] int depth() const { return static_cast<int>(statements_.size() + blocks_.size()); }

 private:
  int brackets_ = 0;
  int braces_ = 0;
  int header_ = -1;              // brackets around the header that is being read
  bool begins_ = false;          // behind a header
  std::vector<int> statements_;  // braces around the bodies that are one statement
  std::size_t ended_ = 0;        // such bodies that the token in front has ended
  std::vector<int> blocks_;      // braces around the bodies that are blocks
};

}  // namespace

bool is_dear(const UserText& text, bool looped) {
  try {
    Scanner scanner(text.body);
    Loops loops;
    Token before;
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      loops.take(token);
      const bool again = looped || loops.depth() > 0;
      if (again && (is(token, "/") || is(token, "%"))) return true;
      if (is(token, "(") && before.kind == Token::Kind::identifier && !is_cheap(before.text, text) &&
          (again || before.text != "sqrt")) {
        return true;
      }
      before = std::move(token);
    }
  } catch (const ScanError&) {
    return false;
  }
  return false;
}

int loop_depth(const UserText& text) {
  int deepest = 0;
  try {
    Scanner scanner(text.body);
    Loops loops;
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      loops.take(token);
      deepest = std::max(deepest, loops.depth());
    }
  } catch (const ScanError&) {
    return deepest;
  }
  return deepest;
}

}  // namespace kiln::kinds

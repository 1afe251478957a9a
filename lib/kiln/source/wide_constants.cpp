#include "source/wide_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "source/body_tokens.hpp"
#include "source/text_error.hpp"

namespace kiln::codegen {
namespace {

constexpr std::array<std::string_view, 3> kWideTypes{"float64", "double", "complex128"};
constexpr std::array<std::string_view, 2> kSingleTypes{"float32", "float"};
constexpr std::array<std::string_view, 14> kWideConstants{"pi",        "M_PI",   "M_E",     "M_PI_2",    "M_PI_4",
                                                          "M_LN2",     "M_LN10", "M_LOG2E", "M_LOG10E",  "M_SQRT2",
                                                          "M_SQRT1_2", "M_1_PI", "M_2_PI",  "M_2_SQRTPI"};
constexpr std::array<std::string_view, 12> kOfOneNumber{"sqrt", "exp", "exp2", "log",  "log2", "log10",
                                                        "sin",  "cos", "tan",  "cbrt", "pow",  "abs"};

bool is_one_of(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

class WideConstants {
 public:
  WideConstants(const std::string& file, const std::string& text, const SingleNames& single)
      : file_(file), text_(text), body_(text), single_(single), names_(single.names) {
    for (std::size_t t = 0; t + 1 < body_.size(); ++t) {
      if (is_name(t) && is_one_of(kSingleTypes, body_[t].text) && is_name(t + 1)) names_.push_back(body_[t + 1].text);
    }
  }

  std::vector<Diagnostic> find() {
    for (std::size_t t = 0; t < body_.size(); ++t) {
      const std::optional<std::size_t> end = end_of_constant(t);
      if (!end || !(follows_single(t) || precedes_single(*end))) continue;
      warn(t, *end);
      t = *end;
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_name(std::size_t t) const { return t < body_.size() && body_[t].kind == Token::Kind::identifier; }
  [[nodiscard]] bool is_wide_literal(std::size_t t) const {
    if (t >= body_.size() || body_[t].kind != Token::Kind::number) return false;
    const std::string& text = body_[t].text;
    return text.find_first_of(".eE") != std::string::npos && text.find_first_not_of("0123456789.eE+-'") == std::string::npos;
  }
  /// Behind the constant that begins there, if one does.
  [[nodiscard]] std::optional<std::size_t> end_of_constant(std::size_t t) const {
    if (is_wide_literal(t)) return t + 1;
    if (!is_name(t) || body_.is_member(t)) return std::nullopt;
    if (is_one_of(kWideConstants, body_[t].text) && !is_one_of(names_, body_[t].text) && !body_.may_declare(body_[t].text))
      return t + 1;
    const bool of_one = body_.is(t + 1, "(") && is_wide_literal(t + 2) && body_.is(t + 3, ")");
    return of_one && is_one_of(kOfOneNumber, body_[t].text) ? std::optional(t + 4) : std::nullopt;
  }
  [[nodiscard]] bool is_operator(std::size_t t) const {
    return body_.is(t, "*") || body_.is(t, "/") || body_.is(t, "+") || body_.is(t, "-");
  }
  [[nodiscard]] bool is_single(std::size_t t) const {
    return is_name(t) && !body_.is_member(t) && is_one_of(names_, body_[t].text);
  }

  /// `x *`, `x(i) *` or `x *=`
  [[nodiscard]] bool follows_single(std::size_t t) const {
    if (t < 2) return false;
    std::size_t mark = t - 1;
    if (body_.is(mark, "=")) --mark;
    if (mark == 0 || !is_operator(mark)) return false;
    if (mark + 1 != t && !body_.is_pair(mark, body_[mark].text, "=")) return false;
    std::size_t last = mark - 1;
    if (body_.is(last, ")") || body_.is(last, "]")) {
      const std::size_t open = body_.match(last);
      if (open == 0 || open == last) return false;
      last = open - 1;
    }
    return is_single(last);
  }
  /// `* x`
  [[nodiscard]] bool precedes_single(std::size_t t) const {
    return is_operator(t) && !body_.is(t + 1, "=") && is_single(t + 1) && !body_.is(t + 2, "->");
  }

  void warn(std::size_t t, std::size_t end) {
    std::string wide;
    std::string narrow;
    for (std::size_t k = t; k < end; ++k) {
      wide += body_[k].text;
      narrow += is_wide_literal(k) ? single_.always ? body_[k].text + "f" : fmt::format("T({})", body_[k].text) : body_[k].text;
    }
    if (wide == narrow) narrow = fmt::format("{}({})", single_.always ? "float32" : "T", wide);
    found_.push_back({.severity = Severity::warning,
                      .file = file_,
                      .line = body_[t].place.line,
                      .column = body_[t].place.column,
                      .text = fmt::format("{} is a float64, and makes what it is computed with one, too; write {}{}", wide,
                                          narrow, single_.always ? "" : ", where T is a type variable of the signature"),
                      .source_line = std::string(line_of(text_, body_[t].place))});
  }

  const std::string& file_;
  const std::string& text_;
  BodyTokens body_;
  const SingleNames& single_;
  std::vector<std::string> names_;
  std::vector<Diagnostic> found_;
};

}  // namespace

bool names_double(const std::string& text) {
  const BodyTokens body(text);
  return std::ranges::any_of(kWideTypes, [&](std::string_view type) { return body.has(type); });
}

std::vector<Diagnostic> wide_constants(const std::string& file, const std::string& text, const SingleNames& single) {
  return WideConstants(file, text, single).find();
}

}  // namespace kiln::codegen

#include "source/suspicious.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "source/body_tokens.hpp"
#include "source/text_error.hpp"
#include "source/wide_constants.hpp"

namespace kiln::codegen {
namespace {

/// The value of a decimal integer literal, with any suffix of integers.
std::optional<long long> integer_literal(const Token& token) {
  if (token.kind != Token::Kind::number) return std::nullopt;
  long long value = 0;
  const char* const end = token.text.data() + token.text.size();
  const auto [rest, error] = std::from_chars(token.text.data(), end, value);
  const bool suffixed = std::all_of(rest, end, [](char c) { return c == 'u' || c == 'U' || c == 'l' || c == 'L'; });
  if (error != std::errc() || !suffixed) return std::nullopt;
  return value;
}

class SuspiciousCode {
 public:
  SuspiciousCode(const std::string& file, const std::string& text, std::span<const std::string> names)
      : file_(file), text_(text), names_(names), body_(text) {}

  std::vector<Diagnostic> find() {
    for (std::size_t t = 0; t + 1 < body_.size(); ++t) {
      if (is_directive_line(t) || t == 0) continue;
      lost_fraction(t);
      chained_comparison(t);
    }
    divisions_of_python();
    return std::move(found_);
  }

 private:
  enum class Compare { none, less, greater };
  struct Comparison {
    Compare direction = Compare::none;
    std::size_t length = 0;  // tokens
  };

  // `#if 1/2` is the preprocessor's.
  [[nodiscard]] bool is_directive_line(std::size_t t) {
    if (body_[t].kind == Token::Kind::hash) directive_ = true;
    if (body_[t].kind == Token::Kind::newline) directive_ = false;
    return directive_;
  }

  void warn(std::size_t t, std::string text) {
    found_.push_back({.severity = Severity::warning,
                      .file = file_,
                      .line = body_[t].place.line,
                      .column = body_[t].place.column,
                      .text = std::move(text),
                      .source_line = std::string(line_of(text_, body_[t].place))});
  }

  void lost_fraction(std::size_t t) {
    if (!body_.is(t, "/")) return;
    // A count of elements is an integer.
    if (body_.around(t) != BodyTokens::kNone && body_.is(body_.around(t), "[")) return;
    // In `x * 1 / 2` it is the product that is divided.
    if (t >= 2 && (body_.is(t - 2, "*") || body_.is(t - 2, "/") || body_.is(t - 2, "%"))) return;
    const std::optional<long long> above = integer_literal(body_[t - 1]);
    const std::optional<long long> below = integer_literal(body_[t + 1]);
    if (!above || !below || *below == 0 || *above % *below == 0) return;
    warn(t - 1, fmt::format("{0}/{1} divides integers and gives {2}; write {0}.0/{1} for the fraction", body_[t - 1].text,
                            body_[t + 1].text, *above / *below));
  }

  /// `x // 2`, where the rest of the line is a number or a parameter: no token, but a comment.
  void divisions_of_python() {
    std::size_t line = 1;
    for (std::size_t begin = 0; begin < text_.size(); ++line) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view row = std::string_view(text_).substr(begin, end - begin);
      begin = end + 1;
      const std::size_t at = row.find("//");
      if (at == std::string_view::npos) continue;
      const std::size_t before = row.find_last_not_of(' ', at == 0 ? 0 : at - 1);
      const bool operand =
          at > 0 && before != std::string_view::npos &&
          (std::isalnum(static_cast<unsigned char>(row[before])) != 0 || row[before] == ')' || row[before] == ']');
      std::string_view rest = row.substr(at + 2);
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      rest = rest.substr(0, rest.find_last_not_of(" ;)") + 1);
      const bool number = rest.find_first_not_of("0123456789") == std::string_view::npos;
      if (!operand || rest.empty() || !(number || std::ranges::find(names_, rest) != names_.end())) continue;
      found_.push_back(
          {.severity = Severity::warning,
           .file = file_,
           .line = static_cast<int>(line),
           .column = static_cast<int>(at + 1),
           .text = fmt::format("// begins a comment, so that nothing is divided by {0}; write x / {0}, which "
                               "rounds {1}towards zero, or {2}",
                               rest, number ? "" : "integers ",
                               number ? fmt::format("floor(x / {}.0)", rest) : fmt::format("floor_divide(x, {})", rest)),
           .source_line = std::string(row)});
    }
  }

  // "<=" is two tokens, and so is "<<", which is none.
  [[nodiscard]] Comparison comparison(std::size_t t) const {
    const bool less = body_.is(t, "<");
    if (!less && !body_.is(t, ">")) return {};
    const char* const mark = less ? "<" : ">";
    if (body_.is_pair(t, mark, mark) || (t > 0 && body_.is_pair(t - 1, mark, mark))) return {};
    if (t > 0 && body_.is_pair(t - 1, "-", ">")) return {};
    const Compare direction = less ? Compare::less : Compare::greater;
    if (!body_.is_pair(t, mark, "=")) return {direction, 1};
    return body_.is_pair(t + 1, "=", ">") ? Comparison{} : Comparison{direction, 2};
  }

  [[nodiscard]] bool is_operand(std::size_t t) const {
    return t < body_.size() && (body_[t].kind == Token::Kind::identifier || body_[t].kind == Token::Kind::number);
  }

  void chained_comparison(std::size_t t) {
    const Comparison first = comparison(t);
    if (first.direction == Compare::none) return;
    const bool ended = is_operand(t - 1) || body_.is(t - 1, ")") || body_.is(t - 1, "]");
    std::size_t middle = t + first.length;
    if (!ended || !is_operand(middle)) return;
    std::size_t behind = middle + 1;
    if (behind < body_.size() && (body_.is(behind, "(") || body_.is(behind, "["))) behind = body_.match(behind) + 1;
    const Comparison second = behind < body_.size() ? comparison(behind) : Comparison{};
    if (second.direction != first.direction) return;
    const std::size_t last = behind + second.length;
    if (!is_operand(last) && !body_.is(last, "(") && !body_.is(last, "-")) return;
    // Not the brackets of templates, which close.
    if (first.direction == Compare::less) {
      for (std::size_t u = last; u < body_.size() && !body_.is(u, ";"); ++u) {
        if (body_.is(u, ">") && !body_.is_pair(u - 1, "-", ">")) return;
      }
    }
    warn(t,
         "a comparison of a comparison's result, which is a bool; write the two and join them with &&, as in 1 < x && x < 3");
  }

  const std::string& file_;
  const std::string& text_;
  std::span<const std::string> names_;
  BodyTokens body_;
  std::vector<Diagnostic> found_;
  bool directive_ = false;
};

/// Whether the variable is surely read there, and not written to: `x = q;` where x is no reference, and comparisons with == and
/// !=. All else may bind a reference.
bool is_read(const BodyTokens& body, std::size_t t) {
  if (body.is_pair(t + 1, "=", "=") || body.is_pair(t + 1, "!", "=")) return true;
  if (t > 1 && (body.is_pair(t - 2, "=", "=") || body.is_pair(t - 2, "!", "="))) return true;
  return t > 1 && body.is(t - 1, "=") && body.is(t + 1, ";") && body[t - 2].kind == Token::Kind::identifier &&
         (t == 2 || body.is(t - 3, ";") || body.is(t - 3, "}"));
}

}  // namespace

std::vector<Diagnostic> suspicious_code(const std::string& file, const std::string& text, std::span<const std::string> names) {
  return SuspiciousCode(file, text, names).find();
}

std::vector<Diagnostic> suspicious_code(const UserText& text, const SingleNames& single) {
  const std::vector<std::pair<std::string, std::string>> texts = texts_of(text);
  const bool narrow =
      !single.names.empty() && std::ranges::none_of(texts, [](const auto& each) { return names_double(each.second); });
  std::vector<Diagnostic> found;
  const auto add = [&](std::vector<Diagnostic> more) {
    found.insert(found.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  for (const auto& [file, part] : texts) {
    add(suspicious_code(file, part, text.input_names));
    if (narrow) add(wide_constants(file, part, single));
  }
  return found;
}

void check_outputs(const UserText& text, std::span<const std::string> outputs, OutputForm form) {
  const BodyTokens body(text.body);
  if (body.is_opaque() || has_macros(text, body)) return;
  for (const std::string& output : outputs) {
    if (output.empty() || body.may_declare(output)) continue;
    bool written = false;
    for (std::size_t t = 0; t < body.size() && !written; ++t) {
      if (!body.is_word(t, output) || body.is_member(t)) continue;
      // What else a body does with a view is check_views()'.
      written = form == OutputForm::view || !is_read(body, t);
    }
    if (written) continue;
    throw text_error(text.name, text.body,
                     ScanError(fmt::format("the output {0} is never assigned; write {0}{1} = …", output,
                                           form == OutputForm::view ? "(…)" : ""),
                               {}));
  }
}

}  // namespace kiln::codegen

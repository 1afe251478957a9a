// The parser of layout strings. The grammar stands in docs/gufuncs.md.
#include "signature/layout.hpp"

#include <algorithm>
#include <charconv>

#include "signature/cursor.hpp"
#include "signature/reserved.hpp"

namespace kiln::signature {
namespace {

bool is_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Messages and tables show a layout in their lines.
std::string on_one_line(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(text.find_first_not_of(kBlanks));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  std::string line;
  for (const char c : text) {
    const bool blank = kBlanks.find(c) != std::string_view::npos;
    if (!blank) line += c;
    if (blank && line.back() != ' ') line += ' ';
  }
  return line;
}

class LayoutParser {
 public:
  explicit LayoutParser(std::string_view text) : cursor_(text) {}

  Layout layout() {
    operands(result_.inputs, "an input");
    cursor_.skip_blanks();
    if (!cursor_.rest().starts_with("->")) cursor_.fail("expected ',' or \"->\" after an input" + cursor_.found());
    cursor_.advance(2);
    in_outputs_ = true;
    operands(result_.outputs, "an output");
    cursor_.skip_blanks();
    if (!cursor_.at_end()) cursor_.fail("expected ',' or the end of the layout after an output" + cursor_.found());
    if (result_.operands() > kMaxOperands) {
      cursor_.fail_at(
          0, "a gufunc has at most 32 inputs and outputs together, the layout has " + std::to_string(result_.operands()));
    }
    result_.text = on_one_line(cursor_.text());
    return std::move(result_);
  }

 private:
  void operands(std::vector<std::vector<std::size_t>>& list, const std::string& what) {
    do {
      cursor_.expect('(', ("before the core dimensions of " + what).c_str());
      std::vector<std::size_t>& operand = list.emplace_back();
      if (!in_outputs_) result_.stretching.emplace_back();
      if (cursor_.accept(')')) continue;
      do {
        operand.push_back(dimension());
      } while (cursor_.accept(','));
      cursor_.expect(')', "or ',' after a core dimension");
    } while (cursor_.accept(','));
  }

  std::size_t dimension() {
    cursor_.skip_blanks();
    const std::size_t at = cursor_.position();
    CoreDimension written;
    if (cursor_.peek() >= '0' && cursor_.peek() <= '9') {
      written.size = size();
      written.name = std::to_string(*written.size);
    } else {
      written.name = std::string(cursor_.name());
      if (written.name.empty()) cursor_.fail("expected the name or the size of a core dimension" + cursor_.found());
      if (const char* why = why_reserved(written.name)) {
        cursor_.fail_at(at, "\"" + written.name + "\" cannot be a core dimension's name: it is " + why);
      }
    }
    // Both marks stand directly behind the name: "n ?" is no more a name than "n m" is.
    if (cursor_.peek() == '?') {
      written.optional = true;
      cursor_.advance(1);
    }
    const bool stretches = cursor_.peek() == '|';
    if (stretches) stretch();
    if (!in_outputs_) result_.stretching.back().push_back(stretches);
    return known(written, at);
  }

  std::int64_t size() {
    const std::size_t at = cursor_.position();
    const std::string_view rest = cursor_.rest();
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits < rest.size() && is_word(rest[digits])) {
      const auto end = std::find_if_not(rest.begin(), rest.end(), is_word);
      cursor_.fail_at(at, "\"" + std::string(rest.begin(), end) + "\" is neither a name nor a size: names begin with a letter");
    }
    std::int64_t size = 0;
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): both ends are given
    if (std::from_chars(rest.data(), rest.data() + digits, size).ec != std::errc{}) {
      cursor_.fail_at(at, "the size " + std::string(rest.substr(0, digits)) + " does not fit in 64 bits");
    }
    if (size == 0) cursor_.fail_at(at, "the size of a core dimension is more than 0");
    cursor_.advance(digits);
    return size;
  }

  void stretch() {
    const std::string_view rest = cursor_.rest();
    if (!rest.starts_with("|1") || (rest.size() > 2 && is_word(rest[2]))) {
      cursor_.fail("expected \"|1\" after a core dimension that stretches");
    }
    if (in_outputs_) cursor_.fail("an output does not stretch: leave out its \"|1\"");
    cursor_.advance(2);
  }

  std::size_t known(CoreDimension& written, std::size_t at) {
    const auto found = std::find_if(result_.dimensions.begin(), result_.dimensions.end(), [&](const CoreDimension& dimension) {
      return dimension.size == written.size && dimension.name == written.name;
    });
    if (found == result_.dimensions.end()) {
      result_.dimensions.push_back(std::move(written));
      return result_.dimensions.size() - 1;
    }
    if (found->optional != written.optional) {
      cursor_.fail_at(at, "\"" + written.name + "\" is written with \"?\" " +
                              (written.optional ? "here and without it before" : "before and without it here") +
                              ": write it the same way everywhere");
    }
    return static_cast<std::size_t>(found - result_.dimensions.begin());
  }

  Cursor cursor_;
  Layout result_;
  bool in_outputs_ = false;
};

}  // namespace

std::optional<std::size_t> Layout::find(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i].name == name) return i;
  }
  return std::nullopt;
}

bool Layout::in_inputs(std::size_t dimension) const noexcept {
  return std::any_of(inputs.begin(), inputs.end(), [&](const std::vector<std::size_t>& input) {
    return std::find(input.begin(), input.end(), dimension) != input.end();
  });
}

Layout parse_layout(std::string_view text) {
  return LayoutParser(text).layout();
}

}  // namespace kiln::signature

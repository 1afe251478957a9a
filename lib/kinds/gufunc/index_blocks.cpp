#include "kinds/gufunc/index_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "codegen/scanner.hpp"

namespace kiln::kinds {

using codegen::ScanError;
using codegen::Token;
using codegen::UserText;

namespace {

// What vectors are made of. One thread of a Zen 4, 1e4 items of float32, nanoseconds of a matrix product with 16 and 64 alone
// and what is left one by one, and now: of 12 × 12 128 and 91, of 14 × 14 300 and 146, of 24 × 24 1870 and 490, of 30 × 30 5300
// and 1390, of 32 × 32 1200 and 920, of 40 × 40 7600 and 3050; float64 of 24 × 24 2310 and 950, of 30 × 30 5960 and 2100. AVX2:
// of 14 × 14 430 and 168, of 24 × 24 1900 and 580, of 30 × 30 5350 and 1300.
constexpr std::array kLanes{64, 32, 16, 8, 4};
// Of sizes that only the launch knows: each is the body once more to compile.
constexpr int kWidest = 64;
constexpr int kWide = 16;
constexpr int kNarrow = 4;

using Tokens = std::vector<Token>;

bool is(const Tokens& tokens, std::size_t t, std::string_view mark) {
  return t < tokens.size() && tokens[t].is(mark);
}
/// Marks come one by one: "==" is two.
bool is_assigned(const Tokens& tokens, std::size_t t) {
  return is(tokens, t, "=") && !is(tokens, t + 1, "=");
}

/// Behind the brackets at t, or t where there are none.
std::size_t behind_brackets(const Tokens& tokens, std::size_t t) {
  if (!is(tokens, t, "(")) return t;
  int depth = 0;
  for (; t < tokens.size(); ++t) {
    if (is(tokens, t, "(")) ++depth;
    if (is(tokens, t, ")") && --depth == 0) return t + 1;
  }
  return t;
}

bool is_name(const Token& token, std::string_view name) {
  return token.kind == Token::Kind::identifier && token.text == name;
}

/// Whether the body may change it: by an assignment, an increment or a declaration of its own.
bool may_change(const Tokens& tokens, std::string_view name) {
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (!is_name(tokens[t], name)) continue;
    if (is_assigned(tokens, t + 1)) return true;
    if (t + 2 < tokens.size() && tokens[t + 1].kind == Token::Kind::punctuation &&
        tokens[t + 2].kind == Token::Kind::punctuation && tokens[t + 1].text != "(" && tokens[t + 1].text != ")" &&
        tokens[t + 1].text != "," && tokens[t + 2].text != "(" && tokens[t + 2].text != ")") {
      return true;
    }
    if (t >= 2 && ((is(tokens, t - 1, "+") && is(tokens, t - 2, "+")) || (is(tokens, t - 1, "-") && is(tokens, t - 2, "-")))) {
      return true;
    }
    if (t >= 1 && tokens[t - 1].kind == Token::Kind::identifier) return true;
  }
  return false;
}

/// Of one output.
bool assigned_before_read(const Tokens& tokens, std::string_view output, const std::vector<std::string>& constants) {
  std::size_t first = tokens.size();
  bool read = false;
  bool alike = true;
  bool ended = false;  // the statement of the first
  int loops = 0;       // before the first: whether it is in one is not looked at
  const auto same = [&](std::size_t a, std::size_t b) {
    const std::size_t end_a = behind_brackets(tokens, a + 1);
    const std::size_t end_b = behind_brackets(tokens, b + 1);
    return end_a - a == end_b - b &&
           std::equal(tokens.begin() + static_cast<std::ptrdiff_t>(a), tokens.begin() + static_cast<std::ptrdiff_t>(end_a),
                      tokens.begin() + static_cast<std::ptrdiff_t>(b),
                      [](const Token& x, const Token& y) { return x.text == y.text; });
  };
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (first == tokens.size() && is_name(tokens[t], "for")) ++loops;
    ended = ended || (first < t && tokens[t].is(";"));
    if (!is_name(tokens[t], output)) continue;
    if (!is_assigned(tokens, behind_brackets(tokens, t + 1))) read = true;
    if (first == tokens.size()) {
      first = t;
      alike = !read && loops == 0;
    } else {
      alike = alike && ended && same(first, t);
    }
  }
  if (!read) return true;
  if (!alike) return false;
  for (std::size_t t = first + 1; t < behind_brackets(tokens, first + 1); ++t) {
    if (tokens[t].kind != Token::Kind::identifier) continue;
    const bool known = std::find(constants.begin(), constants.end(), tokens[t].text) != constants.end();
    if (!known || may_change(tokens, tokens[t].text)) return false;
  }
  return true;
}

}  // namespace

bool may_run_twice(const UserText& text, const std::vector<std::string>& constants) {
  try {
    const Tokens tokens = codegen::tokens_of(text.body);
    return std::all_of(text.output_names.begin(), text.output_names.end(),
                       [&](const std::string& output) { return assigned_before_read(tokens, output, constants); });
  } catch (const ScanError&) {
    return false;
  }
}

std::vector<IndexBlock> blocks_of(std::int64_t count, bool twice) {
  std::vector<IndexBlock> blocks;
  std::int64_t begin = 0;
  for (const int lanes : kLanes) {
    for (; begin + lanes <= count; begin += lanes) {
      blocks.push_back({lanes, begin});
      // What is left, by one block that ends with it.
      const std::int64_t left = count - begin - lanes;
      const auto fits = std::find_if(kLanes.rbegin(), kLanes.rend(), [&](int other) { return other >= left; });
      if (twice && left > 0 && *fits <= kWide && *fits <= count && left < lanes) {
        blocks.push_back({*fits, count - *fits});
        return blocks;
      }
    }
  }
  return blocks;
}

std::string index_loops(std::size_t e, const std::optional<std::int64_t>& size, bool twice, const std::string& arguments) {
  std::string text;
  if (size) {
    std::int64_t end = 0;
    for (const IndexBlock& block : blocks_of(*size, twice)) {
      text += fmt::format("    {{ constexpr int64 e{} = {}; several<{}>({}); }}\n", e, block.begin, block.lanes, arguments);
      end = block.begin + block.lanes;
    }
    if (end < *size)
      text += fmt::format("    for (int64 e{0} = {1}; e{0} < {2}; ++e{0}) one({3});\n", e, end, *size, arguments);
    return text;
  }
  text = fmt::format("    int64 e{0} = begin{0};\n", e);
  const auto loop = [&](int lanes) {
    return fmt::format("    for (; e{0} + {1} <= end{0}; e{0} += {1}) several<{1}>({2});\n", e, lanes, arguments);
  };
  // What is left, by one vector that ends with it.
  const auto last = [&](int lanes) {
    return fmt::format(
        "    if (e{0} < end{0} && end{0} - begin{0} >= {1}) {{\n    e{0} = end{0} - {1};\n    several<{1}>({2});\n"
        "    e{0} = end{0};\n    }}\n",
        e, lanes, arguments);
  };
  text += loop(kWidest) + loop(kWide);
  if (twice) text += last(kWide);
  text += loop(kNarrow);
  if (twice) text += last(kNarrow);
  return text + fmt::format("    for (; e{0} < end{0}; ++e{0}) one({1});\n", e, arguments);
}

}  // namespace kiln::kinds

// What checks of a body's tokens ask for, whatever the operands are.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "source/body_tokens.hpp"

namespace kiln::codegen {

inline bool is_among(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

inline bool is_floating(std::string_view number) {
  const bool hexadecimal = number.starts_with("0x") || number.starts_with("0X");
  return number.find_first_of(hexadecimal ? ".pP" : ".eE") != std::string_view::npos;
}

[[noreturn]] inline void refuse(const Token& token, const std::string& message) {
  throw ScanError(message, token.place);
}

/// What both kinds of bodies ask of their tokens.
class Uses {
 public:
  explicit Uses(const BodyTokens& body) : body_(body) {}

 protected:
  /// Whether an assignment's operator stands there, or ++ or -- of what ends in front of it.
  [[nodiscard]] bool is_written(std::size_t behind) const {
    if (body_.is(behind, "=")) return !body_.is(behind + 1, "=");
    for (const std::string_view mark : {"+", "-", "*", "/", "%", "&", "|", "^"}) {
      if (body_.is_pair(behind, mark, "=")) return true;
    }
    for (const std::string_view mark : {"<", ">"}) {
      if (body_.is_pair(behind, mark, mark) && body_.is_pair(behind + 1, mark, "=")) return true;
    }
    const bool step = body_.is_pair(behind, "+", "+") || body_.is_pair(behind, "-", "-");
    const std::size_t next = behind + 2;
    return step && (next >= body_.size() || body_.is(next, ";") || body_.is(next, ")") || body_.is(next, ","));
  }

  /// Whether ++ or -- stands in front.
  [[nodiscard]] bool is_stepped(std::size_t t) const {
    if (t < 2 || !(body_.is_pair(t - 2, "+", "+") || body_.is_pair(t - 2, "-", "-"))) return false;
    if (t == 2) return true;
    return std::ranges::any_of(std::array{";", "{", "}", "(", ",", "="},
                               [&](const char* mark) { return body_.is(t - 3, mark); });
  }

  [[nodiscard]] bool follows(std::size_t t, std::initializer_list<std::string_view> marks) const {
    return t > 0 && std::ranges::any_of(marks, [&](std::string_view mark) { return body_.is(t - 1, mark); });
  }

  [[nodiscard]] bool stands(std::size_t t, std::initializer_list<std::string_view> marks) const {
    return std::ranges::any_of(marks, [&](std::string_view mark) { return body_.is(t, mark); });
  }

  /// A number used as what it is not.
  void check_number(std::size_t t) const {
    static constexpr std::array<std::string_view, 9> kArrayMembers{"shape",   "size", "ndim", "row",   "dtype",
                                                                   "strides", "T",    "data", "length"};
    const std::string& name = body_[t].text;
    const bool called = body_.is(t + 1, "(");
    // What a subscript of a number may be is a pointer: "0[p]".
    const bool indexed = body_.is(t + 1, "[") && (body_.is(t + 2, "]") || body_[t + 2].kind == Token::Kind::number);
    if (called || indexed) refuse(body_[t], fmt::format("{} is a number and has no indices; write {}", name, name));
    if (body_.is(t + 1, ".") && t + 2 < body_.size() && is_among(kArrayMembers, body_[t + 2].text)) {
      refuse(body_[t + 2], fmt::format("{} is a number and has no .{}", name, body_[t + 2].text));
    }
  }

  /// The literal that an index is, if it is one: "0.5", "-1".
  [[nodiscard]] std::optional<std::string> literal(BodyTokens::Range index) const {
    const bool sign = body_.is(index.first, "-");
    const std::size_t at = index.first + (sign ? 1 : 0);
    if (index.second != at + 1 || body_[at].kind != Token::Kind::number) return std::nullopt;
    return (sign ? "-" : "") + body_[at].text;
  }

  const BodyTokens& body_;
};

}  // namespace kiln::codegen

// The tokens of a body with their brackets matched, and which of its names it may declare itself. What is not sure counts as
// declared: who refuses a body by its tokens asks only for names that are surely those of its parameters. Pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "source/scanner.hpp"
#include "source/user_text.hpp"

namespace kiln::codegen {

class BodyTokens {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Of a text that check_text() lets pass, without its #pragmas. Throws ScanError.
  explicit BodyTokens(std::string_view text);

  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  [[nodiscard]] const Token& operator[](std::size_t t) const { return tokens_[t]; }
  /// Whether it has another preprocessor directive, or a word by which names are declared in more ways than are known here.
  [[nodiscard]] bool is_opaque() const;
  [[nodiscard]] bool has(std::string_view word) const;

  /// Whether that token is there and is that mark; false behind the end.
  [[nodiscard]] bool is(std::size_t t, std::string_view mark) const { return t < size() && tokens_[t].is(mark); }
  [[nodiscard]] bool is_word(std::size_t t, std::string_view word) const;
  /// Whether two marks stand there with nothing between them: "++" is two tokens.
  [[nodiscard]] bool is_pair(std::size_t t, std::string_view first, std::string_view second) const;
  /// Of a bracket the one that closes or opens it.
  [[nodiscard]] std::size_t match(std::size_t t) const { return match_[t]; }
  /// The bracket around a token; kNone where there is none.
  [[nodiscard]] std::size_t around(std::size_t t) const { return around_[t]; }
  /// Whether the name stands for a member or for a name of a namespace: behind "." or "->" or "::".
  [[nodiscard]] bool is_member(std::size_t t) const;
  /// Whether the body may have something else of that name.
  [[nodiscard]] bool may_declare(std::string_view name) const;
  /// Whether that name may be declared at its position.
  [[nodiscard]] bool may_declare_at(std::size_t t) const;

  using Range = std::pair<std::size_t, std::size_t>;
  /// What commas separate within a bracket, as [begin, end). False where that is unknown: packs, and commas beside a "<",
  /// which may be those of a template.
  [[nodiscard]] bool split(std::size_t open, std::vector<Range>& parts) const;

 private:
  [[nodiscard]] bool follows_type(std::size_t t) const;
  [[nodiscard]] bool ends_template(std::size_t t) const;
  [[nodiscard]] bool follows_comma(std::size_t t) const;
  [[nodiscard]] bool is_captured_anew(std::size_t t, std::size_t open) const;
  [[nodiscard]] bool has_parameters(std::size_t open) const;
  [[nodiscard]] bool begins_statement(std::size_t t) const;
  [[nodiscard]] bool is_list(std::size_t open) const;

  std::vector<Token> tokens_;
  std::vector<std::size_t> match_;
  std::vector<std::size_t> around_;
};

/// Whether the body calls that name and means kiln's function: nothing of its own, of the definition or of a parameter.
/// `next` is the token behind it: "<" of a template whose arguments are given.
[[nodiscard]] bool calls_kilns(const UserText& text, std::string_view name, std::string_view next = "(");

/// Returns true if the body takes the address of an element, `&name[k]`, for more than an atomic function, which wants one
/// element alone.
[[nodiscard]] bool takes_element_address(const UserText& text, std::string_view name);

/// Returns true if the body has `index()`, which asks for the number of an element: without arguments it is no conversion.
[[nodiscard]] bool asks_for_index(const UserText& text);

/// Whether a macro of the definition, or a header that may have some, can change what the body's tokens are.
[[nodiscard]] bool has_macros(const UserText& text, const BodyTokens& body);

}  // namespace kiln::codegen

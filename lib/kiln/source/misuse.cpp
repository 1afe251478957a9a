#include "source/misuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "source/body_tokens.hpp"
#include "source/needed_headers.hpp"

namespace kiln::codegen {
namespace {

constexpr std::size_t kNone = BodyTokens::kNone;

enum class Misuse { count, fraction, pointer, value, call, element, member, write };

using Words = std::initializer_list<std::string_view>;
struct Known {
  Misuse misuse;
  Words words;  ///< in errors of kernels-src/core/view.hpp, of Clang's and of NVRTC's
};
const Known kKnown[] = {
    {Misuse::count, {"the number of indices is not"}},
    {Misuse::fraction, {"the index is no integer", "array subscript is not an integer", "must have integral or unscoped enum"}},
    {Misuse::pointer, {"a view is no pointer", "invokes a deleted function", "attempt to use a deleted function"}},
    {Misuse::value,
     {"invalid operands to binary", "invalid argument type", "indirection requires pointer", "from incompatible type",
      "no matching conversion", "no viable", "no operator \"", "no suitable conversion", "cannot be assigned to an entity"}},
    {Misuse::call,
     {"no matching function for call", "no instance of", "undeclared identifier 'len'", "identifier \"len\" is undefined"}},
    {Misuse::element,
     {"called object type", "expression preceding parentheses", "subscripted value is not",
      "must have pointer-to-object type"}},
    {Misuse::member,
     {"no member named", "has no member", "member reference base type", "must have class type", "too few arguments",
      "too many arguments", "non-static member function must be called", "bound function may only be used to call",
      "a view of one dimension has no rows"}},
    {Misuse::write, {"cannot assign to", "not assignable", "must be a modifiable lvalue"}}};

/// The message for the user, and its token.
struct Correction {
  std::size_t token;
  std::string text;
};
using Corrected = std::optional<Correction>;

template <class... Args>
Corrected at_token(std::size_t token, fmt::format_string<Args...> text, Args&&... args) {
  return Correction{token, fmt::format(text, std::forward<Args>(args)...)};
}

std::string counted(std::size_t n, const char* noun, const char* plural) {
  return n == 0 ? "none" : fmt::format("{} {}", n, n == 1 ? noun : plural);
}

std::string dimensions_of(const Operand& view) {
  return counted(view.extents.size(), "dimension", "dimensions");
}

/// "A.shape(0), or m".
std::string extent_of(const Operand& view) {
  return fmt::format("{}.shape(0){}", view.name, view.extents[0].empty() ? "" : ", or " + view.extents[0]);
}

class Finder {
 public:
  Finder(std::string_view text, const BodyTokens& body, std::span<const Operand> operands) : text_(text), body_(body) {
    for (const Operand& operand : operands) {
      if (!operand.name.empty() && !body.may_declare(operand.name)) operands_.push_back(&operand);
    }
  }

  [[nodiscard]] std::size_t token_at(int line, int column) const {
    for (std::size_t t = 0; t < body_.size(); ++t) {
      const Place& place = body_[t].place;
      const int end = place.column + static_cast<int>(body_[t].text.size());
      if (place.line == line && place.column <= column && column < end) return t;
    }
    return kNone;
  }

  [[nodiscard]] Corrected find(Misuse misuse, std::size_t at) const {
    if (misuse == Misuse::value || misuse == Misuse::pointer) return of_value(at, misuse);
    if (misuse == Misuse::call) return of_call(at);
    if (misuse == Misuse::member) return of_member(at);
    // NVRTC's place is the index of a pointer, the others' the bracket.
    if (misuse == Misuse::fraction && !is_any(at, "([")) at = body_.around(at);
    const std::size_t t = at == kNone ? kNone : base_of(at);
    if (t == kNone) return std::nullopt;
    const Operand& operand = *operand_at(t);
    if (misuse == Misuse::write) return of_write(t, operand);
    if (misuse == Misuse::fraction) return of_fraction(at, operand);
    if (operand.form == Operand::Form::view) return of_count(t, operand);
    if (operand.form == Operand::Form::number) {
      return at_token(t, "{0} is a number and has no indices; write {0}", operand.name);
    }
    if (!body_.is(t + 1, "(")) return Correction{t, one_index(operand)};
    return at_token(t, "{0} is a pointer and no function; write {0}[i], or declare a view in the signature: {1}[:] {0}",
                    operand.name, operand.type);
  }

 private:
  [[nodiscard]] const Operand* operand_at(std::size_t t) const {
    if (t >= body_.size() || body_[t].kind != Token::Kind::identifier || body_.is_member(t)) return nullptr;
    const auto found = std::ranges::find(operands_, body_[t].text, &Operand::name);
    return found == operands_.end() ? nullptr : *found;
  }

  [[nodiscard]] bool is_any(std::size_t t, std::string_view marks) const {
    return t < body_.size() && body_[t].kind == Token::Kind::punctuation && body_[t].text.size() == 1 &&
           marks.find(body_[t].text) != std::string_view::npos;
  }

  /// The operand whose elements or members end at a token: of "A.row(0)(1" and ")" it is A.
  [[nodiscard]] std::size_t base_ending(std::size_t t) const {
    while (t < body_.size()) {
      if (operand_at(t) != nullptr) return t;
      if (body_.is_member(t) && body_.is(t - 1, ".")) {
        t -= 2;
      } else if (is_any(t, ")]") && body_.match(t) != t) {
        t = body_.match(t) - 1;
      } else {
        break;
      }
    }
    return kNone;
  }

  /// The operand of an error at that token: itself, or what a bracket, a member or an operator is applied to.
  [[nodiscard]] std::size_t base_of(std::size_t at) const {
    if (operand_at(at) != nullptr) return at;
    if (at > 0 && (is_any(at, "([.") || body_.is_member(at))) return base_ending(at - (body_.is_member(at) ? 2 : 1));
    if (!is_any(at, "+-*/%&|^<>=")) return kNone;
    const std::size_t left = at == 0 ? kNone : base_ending(at - 1);
    return left == kNone && operand_at(at + 2) != nullptr ? at + 2 : left;
  }

  /// A view that stands by itself at an error, beside an operator there, or as an argument.
  [[nodiscard]] std::size_t whole_view(std::size_t at) const {
    const auto is_whole = [&](std::size_t t) {
      const Operand* const operand = operand_at(t);
      return operand != nullptr && operand->form == Operand::Form::view && !is_any(t + 1, "([.");
    };
    if (is_whole(at)) return at;
    const bool name = body_[at].kind == Token::Kind::identifier;
    if (name && body_.is(at + 1, "=")) ++at;  // "float32* p = x"
    if (name && body_.is(at + 1, "(")) {
      for (std::size_t t = at + 2; t < body_.match(at + 1); ++t) {
        if (is_whole(t) && is_any(t - 1, "(,") && is_any(t + 1, "),")) return t;
      }
      return kNone;
    }
    if (!is_any(at, "+-*/%&|^<>=!")) return kNone;
    if (at > 0 && is_whole(at - 1)) return at - 1;
    while (is_any(at, "+-*/%&|^<>=!")) ++at;
    return is_whole(at) ? at : kNone;
  }

  [[nodiscard]] bool is_assigned(std::size_t behind) const {
    if (body_.is(behind, "=")) return !body_.is(behind + 1, "=");
    return is_any(behind, "+-*/%&|^") ? body_.is(behind + 1, "=") || body_.is(behind + 1, body_[behind].text)
                                      : is_any(behind, "<>") && body_.is(behind + 2, "=");
  }

  [[nodiscard]] Corrected of_value(std::size_t at, Misuse misuse) const {
    const std::size_t t = whole_view(at);
    if (t == kNone) {
      const std::size_t written = is_assigned(at) ? base_of(at) : kNone;
      return written == kNone ? std::nullopt : of_write(written, *operand_at(written));
    }
    const Operand& view = *operand_at(t);
    if (is_assigned(t + 1)) {
      if (!view.writable) return of_write(t, view);
      return at_token(t, "{} is written one element at a time; write {} = …", view.name, view.element());
    }
    const std::size_t open = body_.around(t);
    const bool argument = open != kNone && open > 0 && body_.is(open, "(") && is_any(t - 1, "(,") && is_any(t + 1, "),") &&
                          body_[open - 1].kind == Token::Kind::identifier && !is_keyword(body_[open - 1].text);
    if (argument) {
      if (misuse == Misuse::value || is_function(body_[open - 1].text)) return of_argument(open - 1);
      // A function of the user's that takes a pointer.
      if (view.type.empty()) return std::nullopt;
    }
    return no_number(t, view);
  }

  static bool is_keyword(std::string_view word) {
    return word == "if" || word == "while" || word == "switch" || word == "return";
  }

  [[nodiscard]] static Corrected no_number(std::size_t t, const Operand& view) {
    if (view.type.empty()) {
      return at_token(t, "{} is a view of {} and no number; write {}", view.name, dimensions_of(view), view.element());
    }
    return at_token(t,
                    "{0} is a view of {1}, and no number or pointer; write {2}, for the address of an element "
                    "&{2}, or declare a pointer in the signature: {3}{4}* {0}",
                    view.name, dimensions_of(view), view.element(), view.writable ? "" : "const ", view.type);
  }

  /// Of a call that no function takes: only kiln's functions of numbers are known to take no views.
  [[nodiscard]] Corrected of_call(std::size_t function) const {
    while (body_.is(function + 1, "::")) function += 2;
    if (function >= body_.size()) return std::nullopt;
    const std::string& name = body_[function].text;
    return name == "len" || is_function(name) || name.starts_with("atomic_") ? of_argument(function) : std::nullopt;
  }

  /// Of the function at a token a view as an argument.
  [[nodiscard]] Corrected of_argument(std::size_t function) const {
    const std::size_t t = whole_view(function);
    if (t == kNone || t == function) return std::nullopt;
    const Operand& view = *operand_at(t);
    const std::string& name = body_[function].text;
    if (name == "len") return at_token(function, "kiln has no len(); write {}", extent_of(view));
    if (name.starts_with("atomic_")) return no_number(t, view);
    return at_token(t, "{} takes numbers, and {} is a view of {}; write {}", name, view.name, dimensions_of(view),
                    view.element());
  }

  [[nodiscard]] static Corrected of_write(std::size_t t, const Operand& input) {
    if (input.writable) return std::nullopt;
    if (!input.type.empty()) {
      return at_token(t, "{} is only read: it is const in the signature; leave that out to write to it", input.name);
    }
    return at_token(t, "{} is an input and cannot be written; write to an output, or to a copy: auto copy = {}", input.name,
                    input.element());
  }

  /// The first index in the bracket of an error that is no integer, as far as one can be the only one.
  [[nodiscard]] Corrected of_fraction(std::size_t open, const Operand& operand) const {
    std::vector<BodyTokens::Range> indices;
    if (!is_any(open, "([") || !body_.split(open, indices)) return std::nullopt;
    const auto is_integer = [&](BodyTokens::Range index) {
      return index.second == index.first + 1 && body_[index.first].kind == Token::Kind::number &&
             body_[index.first].text.find_first_of(".eE") == std::string::npos;
    };
    std::erase_if(indices, is_integer);
    if (indices.size() != 1) return std::nullopt;
    const Token& last = body_[indices[0].second - 1];
    const std::size_t begin = body_[indices[0].first].offset;
    const std::string given(text_.substr(begin, last.offset + last.text.size() - begin));
    return at_token(indices[0].first, "the index {} of {} is no integer; cut off its fraction: index({})", given, operand.name,
                    given);
  }

  /// Follows "(i, j)", "[i]" and ".row(i)" to the index that is one too many, or to where some lack.
  [[nodiscard]] Corrected of_count(std::size_t t, const Operand& view) const {
    const std::size_t rank = view.extents.size();
    std::size_t taken = 0;
    for (std::size_t at = t + 1; at < body_.size();) {
      const std::size_t open = body_.is(at, ".") && body_.is_word(at + 1, "row") ? at + 2 : at;
      std::vector<BodyTokens::Range> indices;
      if (!is_any(open, "([") || !body_.split(open, indices)) break;
      if (body_.is(at, "(") ? indices.size() != rank - taken : taken == rank) {
        const std::size_t given = taken + indices.size();
        return at_token(t, "{} has {}, {} given; write {}{}", view.name, counted(rank, "index", "indices"),
                        given == 0 ? "none" : std::to_string(given), view.element(),
                        given == 1 && rank > 1 ? fmt::format(", or {}[i] for a row", view.name) : "");
      }
      taken += indices.size();
      at = body_.match(open) + 1;
    }
    return std::nullopt;
  }

  /// Of a member, its arguments, or what it is asked of.
  [[nodiscard]] Corrected of_member(std::size_t at) const {
    if (body_.is(at, ")")) at = body_.match(at) - 1;
    if (!body_.is_member(at) && body_.around(at) != kNone && body_.is_member(body_.around(at) - 1)) at = body_.around(at) - 1;
    if (body_.is(at, ".")) ++at;
    if (operand_at(at) != nullptr && body_.is(at + 1, ".")) at += 2;
    const std::size_t t = at < 2 || at >= body_.size() || !body_.is(at - 1, ".") ? kNone : base_ending(at - 2);
    if (t == kNone) return std::nullopt;
    const Operand& operand = *operand_at(t);
    const std::string& name = operand.name;
    const std::string& member = body_[at].text;
    if (operand.form == Operand::Form::number) {
      return at_token(at, "{} is a number and has no .{}", name, member);
    }
    if (operand.form == Operand::Form::pointer) {
      return at_token(t,
                      "{0} is a pointer to the elements and has no members; write {0}[i], and give extents as "
                      "scalars, or declare a view in the signature: {1}[:] {0}",
                      name, operand.type);
    }
    if (member == "shape") {
      return at_token(at, "{}.shape takes the number of a dimension; write {}", name, extent_of(operand));
    }
    if (member == "size") {
      return at_token(at, "{0}.size is the number of elements; write {0}.size(), and for an extent {1}", name,
                      extent_of(operand));
    }
    if (member == "row") {
      return at_token(at, "{} has {} and no rows here; write {}", name, dimensions_of(operand), operand.element());
    }
    return at_token(at, "{0} has no .{1}; it has {2}, {0}.shape(d) and {0}.size(), and elements {3}", name, member,
                    dimensions_of(operand), operand.element());
  }

  std::string_view text_;
  const BodyTokens& body_;
  std::vector<const Operand*> operands_;
};

std::optional<Misuse> misuse_of(std::string_view text) {
  const auto stands = [&](std::string_view words) { return text.find(words) != std::string_view::npos; };
  for (const Known& known : kKnown) {
    if (std::ranges::any_of(known.words, stands)) return known.misuse;
  }
  return std::nullopt;
}

}  // namespace

std::string one_index(const Operand& operand) {
  if (operand.form == Operand::Form::view)
    return fmt::format("{}[…] takes one index; write {}", operand.name, operand.element());
  return fmt::format(
      "{0} is a pointer and has one index, of its elements in C order; write {0}[i * columns + j], or declare a view in the "
      "signature: {1}[:,:] {0}",
      operand.name, operand.type);
}

std::vector<Diagnostic> in_words_of_operands(std::vector<Diagnostic> found, std::string_view file, std::string_view body,
                                             std::span<const Operand> operands) {
  const BodyTokens tokens(body);
  const Finder finder(body, tokens, operands);
  std::vector<Diagnostic> told;
  for (Diagnostic& each : found) {
    const auto misuse = each.severity == Severity::error && each.file == file ? misuse_of(each.text) : std::nullopt;
    const std::size_t at = misuse ? finder.token_at(each.line, each.column) : kNone;
    if (const auto correction = at == kNone ? std::nullopt : finder.find(*misuse, at)) {
      each.text = correction->text;
      each.line = tokens[correction->token].place.line;
      each.column = tokens[correction->token].place.column;
      each.source_line = line_of(body, tokens[correction->token].place);
      // Compilers follow an error by others that it caused.
      if (std::ranges::find(told, each) != told.end()) continue;
    }
    told.push_back(std::move(each));
  }
  return told;
}

}  // namespace kiln::codegen

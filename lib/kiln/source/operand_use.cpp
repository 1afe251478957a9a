#include "source/operand_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "source/body_tokens.hpp"
#include "source/needed_headers.hpp"
#include "source/pointer_use.hpp"
#include "source/text_error.hpp"
#include "source/uses.hpp"
#include "types/each_dtype.hpp"

namespace kiln::codegen {
namespace {

constexpr std::array<std::string_view, 13> kMembers{"shape", "size",     "row",     "contiguous", "data",     "begin",   "end",
                                                    "ndim",  "all_axes", "address", "rank",       "template", "operator"};
constexpr std::array<std::string_view, 8> kAtomics{"atomic_add", "atomic_min", "atomic_max",      "atomic_and",
                                                   "atomic_or",  "atomic_xor", "atomic_exchange", "atomic_compare_exchange"};

constexpr std::array<std::string_view, 4> kFractions{"float32", "float64", "float", "double"};

std::string counted(std::size_t n, const char* noun, const char* plural) {
  return n == 0 ? "none" : fmt::format("{} {}", n, n == 1 ? noun : plural);
}

class ViewUses : Uses {
 public:
  ViewUses(const UserText& text, const BodyTokens& body, std::span<const ViewUse> operands,
           std::span<const std::string> dimensions)
      : Uses(body), own_names_(dimensions.begin(), dimensions.end()) {
    for (const ViewUse& operand : operands) {
      own_names_.insert(operand.name);
      if (!operand.name.empty() && !body.may_declare(operand.name)) operands_.push_back(&operand);
    }
    std::string own = text.functions + "\n" + text.preamble;
    for (const Token& token : tokens_of(own)) {
      if (token.kind == Token::Kind::identifier) own_names_.insert(token.text);
    }
    for (const auto& variable : text.type_variables) types_.insert(variable.first);
  }

  void check() const {
    for (std::size_t t = 0; t < body_.size(); ++t) {
      const ViewUse* const operand = body_.is_member(t) ? nullptr : find(t);
      if (operand == nullptr) continue;
      if (operand->extents.empty()) {
        check_number(t);
        if (!operand->output && (is_written(t + 1) || is_stepped(t))) refuse_writing(t, *operand);
      } else if (stands(t + 1, {"(", "[", "."})) {
        const std::size_t end = check_places(t, *operand);
        if (!operand->output && end != BodyTokens::kNone && (is_written(end) || is_stepped(t))) refuse_writing(t, *operand);
      } else {
        check_whole(t, *operand);
      }
    }
  }

 private:
  [[nodiscard]] const ViewUse* find(std::size_t t) const {
    if (body_[t].kind != Token::Kind::identifier) return nullptr;
    const auto found = std::ranges::find_if(operands_, [&](const ViewUse* each) { return each->name == body_[t].text; });
    return found == operands_.end() ? nullptr : *found;
  }

  /// "A(i, j)", or of a view without core dimensions "o(0)".
  static std::string element(const ViewUse& view) {
    std::string indices;
    for (std::size_t d = 0; d < view.extents.size(); ++d) {
      indices += fmt::format("{}{}", d == 0 ? "" : ", ", d < 4 ? std::string(1, "ijkl"[d]) : fmt::format("i{}", d));
    }
    if (view.pointer.empty() && view.extents.size() == 1 && view.extents[0].empty()) indices = "0";
    return view.extents.empty() ? view.name : fmt::format("{}({})", view.name, indices);
  }

  /// "A.shape(0), or m".
  static std::string extent(const ViewUse& view) {
    return fmt::format("{}.shape(0){}", view.name, view.extents[0].empty() ? "" : ", or " + view.extents[0]);
  }

  [[noreturn]] void refuse_writing(std::size_t t, const ViewUse& input) const {
    if (!input.pointer.empty()) {
      refuse(body_[t], fmt::format("{} is only read: it is const in the signature; leave that out to write to it", input.name));
    }
    refuse(body_[t], fmt::format("{} is an input and cannot be written; write to an output, or to a copy: auto copy = {}",
                                 input.name, element(input)));
  }

  [[noreturn]] void refuse_count(std::size_t t, const ViewUse& view, std::size_t given) const {
    const std::size_t rank = view.extents.size();
    refuse(body_[t], fmt::format("{} has {}, {} given; write {}{}", view.name, counted(rank, "index", "indices"),
                                 given == 0 ? "none" : std::to_string(given), element(view),
                                 given == 1 && rank > 1 ? fmt::format(", or {}[i] for a row", view.name) : ""));
  }

  /// Whether a name is surely that of a floating number: of an input, or of the only variable that has it.
  [[nodiscard]] bool is_floating_name(std::size_t t) const {
    if (body_[t].kind != Token::Kind::identifier) return false;
    if (const ViewUse* const operand = find(t)) return operand->extents.empty() && operand->floating;
    const std::string& name = body_[t].text;
    if (own_names_.contains(name)) return false;
    std::size_t declared = BodyTokens::kNone;
    for (std::size_t d = 0; d < body_.size(); ++d) {
      if (!body_.is_word(d, name) || !body_.may_declare_at(d)) continue;
      if (declared != BodyTokens::kNone) return false;
      declared = d;
    }
    return declared != BodyTokens::kNone && declared > 0 && is_among(kFractions, body_[declared - 1].text);
  }

  /// Of index number `d`.
  void check_index(BodyTokens::Range index, const ViewUse& view, std::size_t d) const {
    const Token& token = body_[index.first];
    const auto refuse_floating = [&](const std::string& given) {
      refuse(token, fmt::format("the index {} of {} is no integer; cut off its fraction: index({})", given, view.name, given));
    };
    if (index.second == index.first + 1 && is_floating_name(index.first)) refuse_floating(token.text);
    const std::optional<std::string> given = literal(index);
    if (!given) return;
    if (is_floating(*given)) refuse_floating(*given);
    const bool zero = given->find_first_of("123456789") == std::string::npos;
    if (!given->starts_with('-') || zero) return;
    const std::string last = view.extents[d].empty() ? fmt::format("{}.shape({})", view.name, d) : view.extents[d];
    refuse(token, fmt::format("the index {} of {} is negative; indices count from 0, and the last is {} - 1", *given, view.name,
                              last));
  }

  /// Follows "(i, j)", "[i]" and ".row(i)" behind a view's name; gives where they end, kNone where nothing is known.
  [[nodiscard]] std::size_t check_places(std::size_t t, const ViewUse& view) const {
    const std::size_t rank = view.extents.size();
    std::size_t taken = 0;
    std::size_t at = t + 1;
    while (at < body_.size()) {
      std::size_t open = at;
      if (body_.is(at, ".")) {
        if (taken == rank) return BodyTokens::kNone;
        if (!body_.is_word(at + 1, "row")) {
          check_member(at + 1, view);
          return BodyTokens::kNone;
        }
        if (taken + 1 == rank) {
          refuse(body_[at + 1], fmt::format("{} has {} and no rows here; write {}", view.name,
                                            counted(rank, "dimension", "dimensions"), element(view)));
        }
        open = at + 2;
        if (!body_.is(open, "(")) return BodyTokens::kNone;
      } else if (!stands(at, {"(", "["})) {
        break;
      }
      std::vector<BodyTokens::Range> indices;
      if (!body_.split(open, indices)) return BodyTokens::kNone;
      const bool call = body_.is(at, "(");
      if (body_.is(at, "[") && indices.size() != 1) {
        refuse(body_[t], fmt::format("{}[…] takes one index; write {}", view.name, element(view)));
      }
      if (call ? indices.size() != rank - taken : taken == rank) refuse_count(t, view, taken + indices.size());
      for (const BodyTokens::Range& index : indices) {
        if (taken < rank) check_index(index, view, taken++);
      }
      at = body_.match(open) + 1;
    }
    return at;
  }

  void check_member(std::size_t at, const ViewUse& view) const {
    if (at >= body_.size() || body_[at].kind != Token::Kind::identifier) return;
    const std::string& member = body_[at].text;
    const bool called = body_.is(at + 1, "(");
    const bool empty = called && body_.is(at + 2, ")");
    if (member == "shape" && (!called || empty)) {
      refuse(body_[at], fmt::format("{}.shape takes the number of a dimension; write {}", view.name, extent(view)));
    }
    if (member == "size" && !empty) {
      refuse(body_[at], fmt::format("{0}.size is the number of elements; write {0}.size(), and for an extent {1}", view.name,
                                    extent(view)));
    }
    if (!is_among(kMembers, member)) {
      refuse(body_[at], fmt::format("{0} has no .{1}; it has {2}, {0}.shape(d) and {0}.size(), and elements {3}", view.name,
                                    member, counted(view.extents.size(), "dimension", "dimensions"), element(view)));
    }
  }

  /// A view that stands by itself.
  void check_whole(std::size_t t, const ViewUse& view) const {
    // The user's own functions may take views, and operators.
    if (own_names_.contains("operator")) return;
    if (is_written(t + 1) || is_stepped(t)) {
      if (!view.output) refuse_writing(t, view);
      refuse(body_[t], fmt::format("{} is written one element at a time; write {} = …", view.name, element(view)));
    }
    check_argument(t, view);
    const bool arrow = body_.is_pair(t + 1, "-", ">");
    const bool before = stands(t + 1, {"+", "-", "*", "/", "%", "<"}) && !arrow;
    const bool behind =
        follows(t, {"+", "-", "/", "%"}) || (follows(t, {"*"}) && t > 1 && body_[t - 2].kind == Token::Kind::number);
    if (before || behind || is_assigned(t) || is_followed(t, view)) refuse_value(t, view);
  }

  /// Whether it stands for a pointer of which the element is meant: "*x".
  [[nodiscard]] bool is_followed(std::size_t t, const ViewUse& view) const {
    return !view.pointer.empty() && follows(t, {"*"}) &&
           (t == 1 || stands(t - 2, {";", "{", "}", "(", ",", "=", "+", "-", "*", "/"}));
  }

  [[noreturn]] void refuse_value(std::size_t t, const ViewUse& view) const {
    if (!view.pointer.empty()) {
      refuse(body_[t],
             fmt::format("{} is a view of {}, and no number or pointer; write {}, for the address of an element &{}, or "
                         "declare a pointer in the signature: {}",
                         view.name, counted(view.extents.size(), "dimension", "dimensions"), element(view), element(view),
                         view.pointer));
    }
    refuse(body_[t], fmt::format("{} is a view of {} and no number; write {}", view.name,
                                 counted(view.extents.size(), "dimension", "dimensions"), element(view)));
  }

  /// Whether a number becomes it: "s += x", "y(i) = x;", "s = x;".
  [[nodiscard]] bool is_assigned(std::size_t t) const {
    if (t < 2 || !body_.is(t - 1, "=")) return false;
    for (const std::string_view mark : {"+", "-", "*", "/"}) {
      if (body_.is_pair(t - 2, mark, "=")) return true;
    }
    if (!body_.is(t + 1, ";")) return false;
    std::size_t target = t - 2;
    while (target > 0 && (body_.is(target, ")") || body_.is(target, "]"))) target = body_.match(target) - 1;
    if (target >= body_.size() || body_.is_member(target)) return false;
    const ViewUse* const other = find(target);
    return other != nullptr && (other->extents.empty() ? target == t - 2 : body_.is(t - 2, ")") && body_.is(target + 1, "("));
  }

  /// An argument of one of kiln's functions of numbers, of a conversion, or of what Python has.
  void check_argument(std::size_t t, const ViewUse& view) const {
    if (!follows(t, {"(", ","}) || !stands(t + 1, {")", ","})) return;
    const std::size_t open = body_.around(t);
    if (open == BodyTokens::kNone || open == 0 || !body_.is(open, "(") || body_[open - 1].kind != Token::Kind::identifier)
      return;
    const std::string& function = body_[open - 1].text;
    const bool of_std = open > 2 && body_.is(open - 2, "::") && body_.is_word(open - 3, "std");
    if ((body_.is_member(open - 1) && !of_std) || own_names_.contains(function) || body_.may_declare(function)) return;
    if (function == "len" && open + 2 == body_.match(open)) {
      refuse(body_[open - 1], fmt::format("kiln has no len(); write {}", extent(view)));
    }
    if (!view.pointer.empty() && is_among(kAtomics, function) && t == open + 1) refuse_value(t, view);
    if (!is_function(function) && !is_among(kDTypeNames, function) && !types_.contains(function)) return;
    refuse(body_[t], fmt::format("{} takes numbers, and {} is a view of {}; write {}", function, view.name,
                                 counted(view.extents.size(), "dimension", "dimensions"), element(view)));
  }

  std::vector<const ViewUse*> operands_;
  std::set<std::string, std::less<>> own_names_;  // of everything outside the body
  std::set<std::string, std::less<>> types_;
};

template <class Check>
void check_body(const UserText& text, const Check& check) {
  try {
    const BodyTokens body(text.body);
    if (!body.is_opaque() && !has_macros(text, body)) check(body);
  } catch (const ScanError& error) {
    throw text_error(text.name, text.body, error);
  }
}

}  // namespace

void check_views(const UserText& text, std::span<const ViewUse> operands, std::span<const std::string> dimensions) {
  check_body(text, [&](const BodyTokens& body) { ViewUses(text, body, operands, dimensions).check(); });
}

void check_arrays(const UserText& text, std::span<const ArrayUse> parameters) {
  std::vector<ViewUse> views;
  for (const ArrayUse& each : parameters) {
    if (each.array && each.dimensions == 0) continue;
    // Scalars are copies, which the body may change.
    views.push_back(
        {.name = each.name,
         .extents = std::vector<std::string>(static_cast<std::size_t>(each.dimensions)),
         .output = !each.array || !each.read_only,
         .floating = is_among(kFractions, each.type),
         .pointer = each.array ? fmt::format("{}{}* {}", each.read_only ? "const " : "", each.type, each.name) : ""});
  }
  check_body(text, [&](const BodyTokens& body) {
    check_pointers(body, parameters);
    ViewUses(text, body, views, {}).check();
  });
}

}  // namespace kiln::codegen

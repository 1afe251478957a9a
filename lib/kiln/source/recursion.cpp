#include "source/recursion.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>

namespace kiln::codegen {
namespace {

constexpr std::array<std::string_view, 6> kNoFunctions{"if", "switch", "while", "for", "catch", "constexpr"};

/// The index behind the bracket that closes the one at `open`, or the end.
std::size_t behind_bracket(std::span<const Token> tokens, std::size_t open) {
  const std::string_view opening = tokens[open].text;
  const std::string_view closing = opening == "(" ? ")" : "}";
  std::size_t depth = 0;
  for (std::size_t t = open; t < tokens.size(); ++t) {
    if (tokens[t].is(opening)) ++depth;
    if (tokens[t].is(closing) && --depth == 0) return t + 1;
  }
  return tokens.size();
}

/// The index behind the body of the function whose parameters open at `open`; 0 where it is a call or a declaration.
std::size_t behind_body(std::span<const Token> tokens, std::size_t open) {
  bool members = false;  // which a constructor sets
  for (std::size_t t = behind_bracket(tokens, open); t < tokens.size(); ++t) {
    if (tokens[t].is("{")) return behind_bracket(tokens, t);
    members = members || tokens[t].is(":");
    if (tokens[t].is(")") || tokens[t].is(";") || tokens[t].is("}") || tokens[t].is("=") || tokens[t].is("?")) return 0;
    if (tokens[t].is(",") && !members) return 0;
    if (tokens[t].is("(")) t = behind_bracket(tokens, t) - 1;
  }
  return 0;
}

}  // namespace

bool recurses(std::span<const Token> tokens) {
  std::map<std::string_view, std::set<std::string_view>> named_by;
  for (std::size_t t = 0; t + 1 < tokens.size(); ++t) {
    if (tokens[t].kind != Token::Kind::identifier || !tokens[t + 1].is("(")) continue;
    if (std::find(kNoFunctions.begin(), kNoFunctions.end(), tokens[t].text) != kNoFunctions.end()) continue;
    const std::size_t end = behind_body(tokens, t + 1);
    std::set<std::string_view>* const names = end == 0 ? nullptr : &named_by[tokens[t].text];
    for (std::size_t inner = t + 1; inner < end; ++inner) {
      if (tokens[inner].kind == Token::Kind::identifier) names->insert(tokens[inner].text);
    }
  }
  // Whatever names no function that is left cannot recurse; what remains when all those have gone does.
  for (bool gone = true; gone && !named_by.empty();) {
    gone = std::erase_if(named_by, [&](const auto& function) {
             return std::none_of(function.second.begin(), function.second.end(),
                                 [&](std::string_view name) { return named_by.contains(name); });
           }) > 0;
  }
  return !named_by.empty();
}

}  // namespace kiln::codegen

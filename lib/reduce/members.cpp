#include "reduce/members.hpp"

#include <algorithm>
#include <array>

#include "codegen/scanner.hpp"
#include "kiln/error.hpp"

namespace kiln::reduce {
namespace {

using codegen::Token;

struct Plain {
  std::string_view name;
  int size;
};
constexpr std::array<Plain, 10> kPlain{{{"bool", 1},
                                        {"boolean", 1},
                                        {"char", 1},
                                        {"short", 2},
                                        {"int", 4},
                                        {"unsigned", 4},
                                        {"float", 4},
                                        {"double", 8},
                                        {"index", 8},
                                        {"size_t", 8}}};

std::optional<int> size_of_type(const std::string& type, std::span<const std::pair<std::string, DType>> variables) {
  for (const auto& [variable, dtype] : variables) {
    if (variable == type) return static_cast<int>(itemsize(dtype));
  }
  for (const Plain& plain : kPlain) {
    if (plain.name == type) return plain.size;
  }
  const std::string name = type.ends_with("_t") ? type.substr(0, type.size() - 2) : type;
  try {
    return static_cast<int>(itemsize(dtype_from_name(name)));
  } catch (const TypeError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::vector<Member>> members_of(std::string_view text) {
  std::vector<Member> members;
  codegen::Scanner scanner(text);
  Token token = scanner.next();
  while (token.kind != Token::Kind::end) {
    if (token.kind != Token::Kind::identifier) return std::nullopt;
    const std::string type = token.text;
    do {
      token = scanner.next();
      if (token.kind != Token::Kind::identifier) return std::nullopt;
      members.push_back({type, token.text});
      token = scanner.next();
      if (token.kind != Token::Kind::punctuation) return std::nullopt;
    } while (token.text == ",");
    if (token.text != ";") return std::nullopt;
    token = scanner.next();
  }
  return members;
}

std::optional<int> size_of(std::span<const Member> members, std::span<const std::pair<std::string, DType>> variables) {
  int size = 0;
  int alignment = 1;
  for (const Member& member : members) {
    const std::optional<int> own = size_of_type(member.type, variables);
    if (!own) return std::nullopt;
    // No type is aligned to more than its size.
    size = (size + *own - 1) / *own * *own + *own;
    alignment = std::max(alignment, *own);
  }
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace kiln::reduce

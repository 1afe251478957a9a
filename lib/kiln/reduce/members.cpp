#include "reduce/members.hpp"

#include <algorithm>
#include <array>

#include "kiln/error.hpp"
#include "source/scanner.hpp"

namespace kiln::reduce {
namespace {

using codegen::Token;

struct Plain {
  std::string_view name;
  DType dtype;
};
constexpr std::array<Plain, 10> kPlain{{{"bool", DType::bool_},
                                        {"boolean", DType::bool_},
                                        {"char", DType::int8},
                                        {"short", DType::int16},
                                        {"int", DType::int32},
                                        {"unsigned", DType::uint32},
                                        {"float", DType::float32},
                                        {"double", DType::float64},
                                        {"index", DType::int64},
                                        {"size_t", DType::uint64}}};

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

std::optional<DType> dtype_of(const std::string& type, std::span<const std::pair<std::string, DType>> variables) {
  for (const auto& [variable, dtype] : variables) {
    if (variable == type) return dtype;
  }
  for (const Plain& plain : kPlain) {
    if (plain.name == type) return plain.dtype;
  }
  try {
    return dtype_from_name(type.ends_with("_t") ? type.substr(0, type.size() - 2) : type);
  } catch (const TypeError&) {
    return std::nullopt;
  }
}

std::optional<int> size_of(std::span<const Member> members, std::span<const std::pair<std::string, DType>> variables) {
  int size = 0;
  int alignment = 1;
  for (const Member& member : members) {
    const std::optional<DType> dtype = dtype_of(member.type, variables);
    if (!dtype) return std::nullopt;
    const auto own = static_cast<int>(itemsize(*dtype));
    // No type is aligned to more than its size.
    size = (size + own - 1) / own * own + own;
    alignment = std::max(alignment, own);
  }
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace kiln::reduce

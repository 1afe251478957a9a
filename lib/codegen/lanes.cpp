#include "codegen/lanes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "codegen/scanner.hpp"

namespace kiln::codegen {
namespace {

// What a body of nothing but arithmetic and counted loops is written with, beside its own names.
constexpr std::array<std::string_view, 40> kOther{
    "if",     "else",   "while", "do",   "switch", "goto",    "return",   "break",  "continue", "static",
    "struct", "class",  "union", "enum", "using",  "typedef", "template", "auto",   "sizeof",   "asm",
    "new",    "delete", "throw", "try",  "float",  "double",  "int",      "long",   "short",    "char",
    "bool",   "data",   "row",   "int8", "int16",  "int32",   "int64",    "uint32", "uint64",   "decltype"};
constexpr std::string_view kOtherMarks = "?&|[#%!~^:\\";

}  // namespace

bool suits_lanes(const UserText& text) {
  if (!text.preamble.empty() || !text.functions.empty()) return false;
  bool loops = false;
  try {
    Scanner scanner(text.body);
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      if (token.kind == Token::Kind::identifier) {
        if (std::find(kOther.begin(), kOther.end(), token.text) != kOther.end()) return false;
        loops |= token.text == "for";
      } else if (token.kind == Token::Kind::hash || token.kind == Token::Kind::string || token.kind == Token::Kind::character ||
                 (token.kind == Token::Kind::punctuation && kOtherMarks.find(token.text[0]) != std::string_view::npos)) {
        return false;
      }
    }
  } catch (const ScanError&) {
    return false;
  }
  return loops;
}

}  // namespace kiln::codegen

#include "signature/reserved.hpp"

#include <algorithm>
#include <array>

#include "types/each_dtype.hpp"

namespace kiln::signature {
namespace {

// C++20's keywords and alternative tokens, sorted.
constexpr std::array<std::string_view, 93> kKeywords = {
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "where",        "while",
    "xor",         "xor_eq"};
static_assert(std::is_sorted(kKeywords.begin(), kKeywords.end()));

// What the device headers define by #define, or what would hide the types that the kernel itself is written with.
bool is_type(std::string_view name) {
  return name == "kiln" || std::find(kDTypeNames.begin(), kDTypeNames.end(), name) != kDTypeNames.end();
}

}  // namespace

std::size_t identifier_length(std::string_view text) noexcept {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return 0;
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return std::min(text.find_first_not_of(kLetters), text.size());
}

bool is_identifier(std::string_view text) noexcept {
  return !text.empty() && identifier_length(text) == text.size();
}

const char* why_reserved(std::string_view name) noexcept {
  if (name == "where") return "a word of the signature's grammar";
  if (std::binary_search(kKeywords.begin(), kKeywords.end(), name)) return "a C++ keyword";
  if (is_type(name)) return "a name of kiln's own";
  if (name == "NAN" || name == "INFINITY" || name == "HUGE_VAL") return "a macro of C's <math.h>";
  if (name.find("__") != std::string_view::npos || (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z')) {
    return "a name that C++ reserves for compilers";
  }
  if (name.starts_with("KILN_") || name.starts_with("kiln_")) return "a name of kiln's own";
  return nullptr;
}

}  // namespace kiln::signature

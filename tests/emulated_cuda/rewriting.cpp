#include "rewriting.hpp"

#include <algorithm>

namespace kiln_emulated {
namespace {

constexpr std::string_view kBlank = " \t\n\r\\";

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Where the word stands on its own, from `at` on.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t at) {
  for (at = text.find(word, at); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_name(text[at - 1])) && (end == text.size() || !in_name(text[end]))) break;
  }
  return at;
}

std::size_t skip_blank(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlank, at), text.size());
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && in_name(text[end])) ++end;
  return text.substr(at, end - at);
}

/// Behind the parenthesis that closes the one at `at`.
std::size_t skip_parentheses(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return at;
}

}  // namespace

void find_kernels(std::string_view text, std::set<std::string>& names) {
  for (const std::string_view start :
       {std::string_view("__global__"), std::string_view("KILN_KERNEL"), std::string_view("KILN_RAW_KERNEL")}) {
    for (std::size_t at = find_word(text, start, 0); at != std::string_view::npos; at = find_word(text, start, at + 1)) {
      // The first word that a parenthesis follows, but for __launch_bounds__ and __attribute__.
      std::size_t next = skip_blank(text, at + start.size());
      while (true) {
        const std::string_view word = word_at(text, next);
        if (word.empty()) break;
        next = skip_blank(text, next + word.size());
        if (next == text.size() || text[next] != '(') continue;
        if (word != "__launch_bounds__" && word != "__attribute__") {
          names.emplace(word);
          break;
        }
        next = skip_blank(text, skip_parentheses(text, next));
      }
    }
  }
}

std::string with_dynamic_shared(std::string_view text) {
  std::string result;
  std::size_t copied = 0;
  for (std::size_t at = find_word(text, "extern", 0); at != std::string_view::npos; at = find_word(text, "extern", at + 1)) {
    constexpr std::string_view kShared = "__shared__";
    const std::size_t shared = skip_blank(text, at + 6);
    if (word_at(text, shared) != kShared) continue;
    const std::size_t type = shared + kShared.size();
    const std::size_t bracket = text.find('[', type);
    if (bracket == std::string_view::npos) continue;
    std::size_t name_end = text.find_last_not_of(kBlank, bracket - 1) + 1;
    std::size_t name = name_end;
    while (name > type && (in_name(text[name - 1]) || text[name - 1] == '#')) --name;  // ## in a macro
    const std::size_t end = text.find(']', bracket);
    if (end == std::string_view::npos) continue;
    result += text.substr(copied, at - copied);
    result += text.substr(type, name - type);
    result += "* const ";
    result += text.substr(name, name_end - name);
    result += " = ::kiln_emulated::dynamic_shared()";
    copied = end + 1;
  }
  result += text.substr(copied);
  return result;
}

}  // namespace kiln_emulated

#include "fusion/directives.hpp"

#include "codegen/scanner.hpp"

namespace kiln::fusion {
namespace {

using codegen::Scanner;
using codegen::Token;

/// Calls visit(word, next) for each directive and what stands behind it. The text has been checked: it splits.
template <class Visit>
void for_each_directive(std::string_view text, const Visit& visit) {
  if (text.find('#') == std::string_view::npos && text.find("%:") == std::string_view::npos) return;
  Scanner scanner(text);
  for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
    if (token.kind != Token::Kind::hash) continue;
    const Token word = scanner.next();
    if (word.text == "include") {
      visit(word.text, scanner.next_header_name().text);
    } else if (word.text == "define") {
      visit(word.text, scanner.next().text);
    }
  }
}

}  // namespace

bool includes_files(std::string_view text) {
  bool found = false;
  for_each_directive(text, [&](const std::string& word, const std::string&) { found |= word == "include"; });
  return found;
}

std::set<std::string> macros_of(std::string_view text) {
  std::set<std::string> names;
  for_each_directive(text, [&](const std::string& word, const std::string& name) {
    if (word == "define") names.insert(name);
  });
  return names;
}

std::vector<Macro> macros(std::span<const std::string> defines) {
  std::vector<Macro> list;
  for (const std::string& define : defines) {
    const std::size_t equals = define.find('=');
    const std::string head = define.substr(0, equals);
    list.push_back({head.substr(0, head.find('(')), head, equals == std::string::npos ? "1" : define.substr(equals + 1)});
  }
  return list;
}

}  // namespace kiln::fusion

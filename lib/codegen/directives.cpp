#include "codegen/directives.hpp"

#include "codegen/scanner.hpp"

namespace kiln::codegen {
namespace {

/// Calls visit(word, next) for each directive and what stands behind it, until the text does not scan.
template <class Visit>
void for_each_directive(std::string_view text, const Visit& visit) {
  if (text.find('#') == std::string_view::npos && text.find("%:") == std::string_view::npos) return;
  try {
    Scanner scanner(text);
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      if (token.kind != Token::Kind::hash) continue;
      const Token word = scanner.next();
      if (word.text == "include") {
        visit(word.text, scanner.next_header_name().text);
      } else if (word.text == "define" || word.text == "undef") {
        visit(word.text, scanner.next().text);
      } else if (word.kind == Token::Kind::identifier) {
        visit(word.text, std::string());
      }
    }
  } catch (const ScanError&) {
    // check_text refuses such a text; whoever renders it nevertheless lets the compiler say so.
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
  int depth = 0;
  for_each_directive(text, [&](const std::string& word, const std::string& name) {
    if (word.starts_with("if")) ++depth;
    if (word == "endif") --depth;
    if (word == "define") names.insert(name);
    if (word == "undef" && depth == 0) names.erase(name);
  });
  return names;
}

std::string defines_text(std::span<const std::string> defines) {
  std::string text;
  for (const std::string& define : defines) {
    const std::size_t equals = define.find('=');
    text += (text.empty() ? "#define " : "\n#define ") + define.substr(0, equals) + " " +
            (equals == std::string::npos ? "1" : define.substr(equals + 1));
  }
  return text;
}

std::string undefine(const std::set<std::string>& macros) {
  std::string text;
  for (const std::string& macro : macros) {
    if (!macro.starts_with("KILN_")) text += "#undef " + macro + "\n";
  }
  return text;
}

}  // namespace kiln::codegen

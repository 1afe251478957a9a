#include "source/directives.hpp"

#include "source/scanner.hpp"

namespace kiln::codegen {
namespace {

/// Calls visit(word, next) for each directive and what stands behind it, until the text does not scan. Of a macro that takes
/// arguments, "(" stands behind the name.
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
        const Token name = scanner.next();
        const bool called = word.text == "define" && text.substr(scanner.offset(), 1) == "(";
        visit(word.text, called ? name.text + "(" : name.text);
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
    if (word == "define") names.insert(name.substr(0, name.find('(')));
    if (word == "undef" && depth == 0) names.erase(name);
  });
  return names;
}

std::set<std::string> called_macros_of(std::string_view text) {
  std::set<std::string> called;
  std::set<std::string> others;
  for_each_directive(text, [&](const std::string& word, const std::string& name) {
    if (word == "define") (name.ends_with("(") ? called : others).insert(name.substr(0, name.find('(')));
  });
  for (const std::string& name : others) called.erase(name);
  return called;
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

namespace {

/// Names that a compiler may have defined before any text: "__device__".
bool is_reserved(std::string_view name) {
  return name.size() > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

}  // namespace

std::string undefine(const std::set<std::string>& macros) {
  std::string text;
  for (const std::string& macro : macros) {
    if (macro.starts_with("KILN_")) continue;
    text += is_reserved(macro) ? "#ifndef KILN_KEEP" + macro + "\n#undef " + macro + "\n#endif\n" : "#undef " + macro + "\n";
  }
  return text;
}

std::string keep_before(const std::set<std::string>& macros) {
  std::string text;
  for (const std::string& macro : macros) {
    if (is_reserved(macro)) text += "#ifdef " + macro + "\n#define KILN_KEEP" + macro + "\n#endif\n";
  }
  return text;
}

}  // namespace kiln::codegen

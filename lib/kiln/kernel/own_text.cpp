#include "kernel/own_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "kernel/kernel_text.hpp"
#include "source/directives.hpp"
#include "source/embedded.hpp"
#include "source/scanner.hpp"

namespace kiln::kinds {

using codegen::Token;
using codegen::UserText;

namespace {

/// Words of C++ that kiln's text has. A macro of that name is not looked for: C++ allows none.
constexpr std::string_view kWords[] = {"auto",   "const", "inline", "namespace", "return", "static_assert",
                                       "struct", "using", "void",   "float",     "double"};

/// The token behind the qualified name of kiln's that begins at t; t where none does.
std::size_t end_of_qualified(const std::vector<Token>& tokens, std::size_t t) {
  const auto is_kiln = [&](std::size_t at) { return at < tokens.size() && tokens[at].text == "kiln"; };
  if (!tokens[t].is("::") || !is_kiln(t + 1)) return t;
  std::size_t end = t + 2;
  while (end + 1 < tokens.size() && tokens[end].is("::") && tokens[end + 1].kind == Token::Kind::identifier) end += 2;
  return end;
}

}  // namespace

OwnText::OwnText(const UserText& text, const std::map<std::string, std::string>& included) : kernel_(text.name) {
  const auto add = [&](const std::string& part) {
    macros_.merge(codegen::macros_of(part));
    called_.merge(codegen::called_macros_of(part));
  };
  for (const auto& [file, part] : codegen::texts_of(text)) add(part);
  for (const auto& [name, part] : included) {
    if (!codegen::is_embedded(name, part)) add(part);
  }
}

std::string OwnText::between(const std::string& text, std::span<const std::string_view> places) {
  if (macros_.empty()) return text;
  std::string checks;
  std::string out;
  std::size_t done = 0;
  bool directive = false;
  const std::vector<Token> tokens = codegen::tokens_of(text);
  const auto replace = [&](std::size_t begin, std::size_t end, const std::string& with) {
    out.append(text, done, begin - done);
    out += with;
    done = end;
  };
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const Token& token = tokens[t];
    if (token.kind == Token::Kind::hash || token.kind == Token::Kind::newline) directive = token.kind == Token::Kind::hash;
    const std::size_t end = end_of_qualified(tokens, t);
    if (end != t) {
      const std::size_t stop = tokens[end - 1].offset + tokens[end - 1].text.size();
      const bool hit =
          std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(t), tokens.begin() + static_cast<std::ptrdiff_t>(end),
                      [&](const Token& part) { return macros_.contains(part.text); });
      if (hit) {
        const std::string name = text.substr(token.offset, stop - token.offset);
        const auto known = std::ranges::find(names_, name);
        replace(token.offset, stop, fmt::format(" kiln_alias_{}", known - names_.begin()));
        if (known == names_.end()) names_.push_back(name);
      }
      t = end - 1;
      continue;
    }
    if (directive || token.kind != Token::Kind::identifier || token.text.starts_with("KILN_") || !macros_.contains(token.text))
      continue;
    if (std::ranges::find(places, token.text) != places.end()) {
      replace(token.offset, token.offset + token.text.size(),
              fmt::format("\n#ifdef {0}\nkiln_{0}\n#else\n{0}\n#endif\n", token.text));
    } else if (std::ranges::find(kWords, token.text) == std::end(kWords)) {
      checks += refusal(token.text);
    }
  }
  return checks + out + text.substr(done);
}

std::string OwnText::refusals(std::span<const std::string> names) const {
  std::string text;
  for (const std::string& name : names) text += refusal(name);
  return text;
}

std::string OwnText::refusal(std::string_view name) const {
  if (!macros_.contains(std::string(name)) || called_.contains(std::string(name))) return {};
  return fmt::format(
      "#ifdef {}\n#line 1 {}\n#error \"{} is a macro, and a name in the signature; rename one of them\"\n#endif\n", name,
      string_literal(kernel_), name);
}

std::string OwnText::aliases() const {
  std::string text;
  for (std::size_t k = 0; k < names_.size(); ++k) text += fmt::format("using kiln_alias_{} = {};\n", k, names_[k]);
  return text;
}

std::string OwnText::before() const {
  return codegen::keep_before(macros_);
}

std::string OwnText::behind() const {
  return codegen::undefine(macros_);
}

}  // namespace kiln::kinds

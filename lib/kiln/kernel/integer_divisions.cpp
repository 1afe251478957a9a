#include "kernel/integer_divisions.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "kernel/kernel_text.hpp"
#include "source/divisions.hpp"
#include "source/scanner.hpp"

namespace kiln::kinds {

using codegen::FloatingNames;
using codegen::ScanError;
using codegen::Scanner;
using codegen::Token;
using codegen::UserText;

namespace {

constexpr std::string_view kDivisionTag = "%kiln_by";
constexpr std::string_view kAssignmentTag = "%=kiln_by";

/// Consecutive tokens, with the texts that they are of.
class TextTokens {
 public:
  /// Throws ScanError.
  void read(const std::string& file, std::string_view text) {
    file_ = &file;
    Scanner scanner(text);
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      if (token.kind == Token::Kind::hash) {
        directive(scanner);
      } else {
        add(std::move(token));
      }
    }
    separate();
  }

  /// The definitions of macros that are for the compiler alone.
  void read_macros() {
    if (includes_) return;
    for (std::size_t seen = 0; seen != conditions_.size();) {
      seen = conditions_.size();
      for (const auto& [name, macro] : macros_) {
        if (!conditions_.contains(name)) continue;
        for (const auto& [token, file] : macro) conditions_.insert(token.text);
      }
    }
    for (auto& [name, macro] : macros_) {
      if (conditions_.contains(name)) continue;
      for (auto& [token, file] : macro) {
        tokens_.push_back(std::move(token));
        files_.push_back(file);
      }
      separate();
    }
  }

  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }
  [[nodiscard]] const std::string& file_of(std::size_t t) const { return *files_[t]; }
  [[nodiscard]] bool has_directives() const { return directives_; }

 private:
  void add(Token token) {
    tokens_.push_back(std::move(token));
    files_.push_back(file_);
  }
  void separate() {
    Token token;
    token.kind = Token::Kind::punctuation;
    token.text = ";";
    add(std::move(token));
  }

  void directive(Scanner& scanner) {
    const std::string word = scanner.next().text;
    directives_ = directives_ || word != "line";
    includes_ = includes_ || word == "include";
    Token token = word == "include" ? scanner.next_header_name() : scanner.next();
    const std::string name = token.text;
    for (; token.kind != Token::Kind::newline && token.kind != Token::Kind::end; token = scanner.next()) {
      if (word == "define") macros_[name].emplace_back(token, file_);
      if (word == "if" || word == "elif") conditions_.insert(token.text);
    }
  }

  const std::string* file_ = nullptr;
  std::vector<Token> tokens_;
  std::vector<const std::string*> files_;
  std::map<std::string, std::vector<std::pair<Token, const std::string*>>> macros_;
  std::set<std::string> conditions_;  ///< words of #if
  bool directives_ = false;
  bool includes_ = false;
};

bool divides(const Token& token) {
  return token.is("/") || token.is("%");
}

bool has_integers(const Operation& operation) {
  const auto whole = [](DType dtype) { return kind(dtype) == Kind::integer || kind(dtype) == Kind::boolean; };
  return std::any_of(operation.inputs.begin(), operation.inputs.end(), whole) ||
         std::any_of(operation.outputs.begin(), operation.outputs.end(), whole);
}

}  // namespace

IntegerDivisions::IntegerDivisions(const UserText& text, const KernelSpec& spec) : with_columns_(text.debug.any()) {
  const auto texts = codegen::texts_of(text);
  TextTokens read;
  try {
    for (const auto& [file, content] : texts) read.read(file, content);
  } catch (const ScanError&) {
    return;  // check_text refuses such a text; whoever renders it nevertheless lets the compiler say so
  }
  read.read_macros();
  const std::vector<Token>& tokens = read.tokens();
  if (std::none_of(tokens.begin(), tokens.end(), divides)) return;

  // Stages have names of their own.
  const Operation operation = spec->operation();
  FloatingNames known = codegen::floating_names(text, text.stages || operation.pointers || has_integers(operation));
  known.opaque = read.has_directives();
  known.wide = std::ranges::any_of(tokens, [](const Token& token) {
    return token.text == "__int128" || token.text == "__int128_t" || token.text == "__uint128_t";
  });
  for (const std::size_t t : integer_divisions(tokens, known)) {
    const std::size_t offset = tokens[t].offset;
    const bool followed = t + 1 < tokens.size();
    // "%:" is no division.
    if (followed && tokens[t + 1].text[0] == ':' && tokens[t + 1].offset == offset + 1) continue;
    // A list in braces has no type that a template could take.
    if (followed && tokens[t + 1].is("=") && t + 2 < tokens.size() && tokens[t + 2].is("{")) continue;
    insertions_[read.file_of(t)][offset] = followed && tokens[t + 1].is("=") ? kAssignmentTag : kDivisionTag;
  }
}

std::string IntegerDivisions::defined(const std::string& file, std::string_view text) const {
  const auto found = insertions_.find(file);
  if (found == insertions_.end()) return std::string(text);
  std::string out;
  std::size_t begin = 0;
  for (const auto& [offset, inserted] : found->second) {
    out += text.substr(begin, offset - begin);
    const std::size_t newline = out.rfind('\n');  // none: npos, and one behind it is 0
    const std::size_t column = out.size() - (newline + 1) + 1;
    out += inserted;
    if (with_columns_) out += '(' + std::to_string(column) + ')';
    begin = offset;
  }
  out += text.substr(begin);
  return out;
}

Diagnostic as_written(Diagnostic found) {
  for (const std::string_view tag : {kAssignmentTag, kDivisionTag}) {
    for (std::size_t at = found.source_line.find(tag); at != std::string::npos; at = found.source_line.find(tag, at)) {
      std::size_t end = at + tag.size();
      if (found.source_line.substr(end, 1) == "(") end = found.source_line.find(')', end) + 1;  // of debug mode
      found.source_line.erase(at, end - at);
      const auto begin = static_cast<int>(at) + 1;
      if (found.column > begin) found.column = std::max(begin, found.column - static_cast<int>(end - at));
    }
  }
  return found;
}

}  // namespace kiln::kinds

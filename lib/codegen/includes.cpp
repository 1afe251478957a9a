// Finds every file that a kernel's texts include, before any compiler runs: what takes part is known and is in the cache's key.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "codegen/embedded.hpp"
#include "codegen/scanner.hpp"
#include "codegen/spec.hpp"
#include "codegen/text_error.hpp"

namespace kiln::codegen {
namespace {

struct Include {
  std::string name;
  Place place;
  bool asked = false;  // by __has_include
};

// The directive of an assembler that reads a file, in a string literal: ".incbin" or ".include"; "" where there is none.
// Directives have no case, and what stands before one may be an escape: "\\n.incbin".
std::string_view file_directive(std::string_view literal) {
  static constexpr std::array<std::string_view, 2> kDirectives{".incbin", ".include"};
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  const auto in_word = [](char c) { return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_'; };
  for (const std::string_view directive : kDirectives) {
    auto at = literal.begin();
    while ((at = std::search(at, literal.end(), directive.begin(), directive.end(), same)) != literal.end()) {
      at += static_cast<std::ptrdiff_t>(directive.size());
      if (at == literal.end() || !in_word(*at)) return directive;
    }
  }
  return {};
}

// The name in `__has_include("a.h")`, from what follows the first word; nothing where that is none, as in `#ifdef
// __has_include`. What the compiler would say may depend on files that the key does not hold, so that the header has to be one
// of the kernel's.
std::optional<Include> asked_include(Scanner& scanner, Token& token) {
  const Token word = token;
  token = scanner.next();
  if (token.text != "(") return std::nullopt;
  if (word.text != "__has_include") {
    throw ScanError(word.text + " is not supported: what it says would depend on files that are not in the cache's key",
                    word.place);
  }
  const Token name = scanner.next_header_name();
  if (name.kind != Token::Kind::string || name.text.size() < 3) {
    throw ScanError("a computed __has_include cannot be followed; write the name of the file in quotes or angle brackets",
                    name.place);
  }
  token = scanner.next();
  return Include{name.text.substr(1, name.text.size() - 2), name.place, true};
}

bool asks_for_files(const Token& token) {
  return token.kind == Token::Kind::identifier &&
         (token.text == "__has_include" || token.text == "__has_include_next" || token.text == "__has_embed");
}

void check_token(const Token& token) {
  if (token.kind == Token::Kind::identifier &&
      (token.text == "__DATE__" || token.text == "__TIME__" || token.text == "__TIMESTAMP__")) {
    throw ScanError(token.text + " may not be used: the kernel would differ at every compile and could not be cached",
                    token.place);
  }
  if (token.kind != Token::Kind::string) return;
  if (const std::string_view directive = file_directive(token.text); !directive.empty()) {
    throw ScanError(fmt::format("the assembler's {} may not be used: the file that it reads would not be in the cache's key; "
                                "write its bytes as an array",
                                directive),
                    token.place);
  }
}

// After the #: its #include, if it is one. The next token is `token`.
std::optional<Include> directive_include(Scanner& scanner, Token& token) {
  token = scanner.next();
  if (token.text == "include_next" || token.text == "import" || token.text == "embed") {
    throw ScanError("#" + token.text + " is not supported; name the file with #include", token.place);
  }
  if (token.text == "define") {
    // `#define __has_include(x) 0` is for compilers that have none.
    token = scanner.next();
    if (asks_for_files(token)) token = scanner.next();
    return std::nullopt;
  }
  if (token.text != "include") return std::nullopt;
  const Token name = scanner.next_header_name();
  if (name.kind != Token::Kind::string || name.text.size() < 3) {
    throw ScanError("a computed #include cannot be followed; write the name of the file in quotes or angle brackets",
                    name.place);
  }
  token = scanner.next();
  return Include{name.text.substr(1, name.text.size() - 2), name.place};
}

std::vector<Include> includes_of(const std::string& file, const std::string& text) {
  std::vector<Include> found;
  try {
    Scanner scanner(text);
    Token token = scanner.next();
    while (token.kind != Token::Kind::end) {
      check_token(token);
      std::optional<Include> include;
      if (token.kind == Token::Kind::hash) {
        include = directive_include(scanner, token);
      } else if (asks_for_files(token)) {
        include = asked_include(scanner, token);
      } else {
        token = scanner.next();
      }
      if (include) found.push_back(*std::move(include));
    }
  } catch (const ScanError& error) {
    throw text_error(file, text, error);
  }
  return found;
}

// One of the library's own headers, or null.
const EmbeddedHeader* embedded(const std::string& name) {
  const auto& all = embedded_texts();
  const auto found =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const EmbeddedHeader& header, const std::string& wanted) { return header.name < wanted; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.good() && !stream.eof()) {
    throw IoError(fmt::format("failed to read the header \"{}\"", path.string()));
  }
  return text;
}

class Resolver {
 public:
  /// Null folders: no file is read.
  Resolver(const std::map<std::string, std::string>& given, const std::vector<std::string>* folders)
      : given_(given), folders_(folders) {}

  void follow(const std::string& file, const std::string& text) {
    for (const Include& include : includes_of(file, text)) add(include, file);
  }

  void add(const Include& include, const std::string& from) {
    if (found_.contains(include.name)) {
      return;
    }
    // Scanning the library's own headers would take most of the time to a key; the build has done it.
    const EmbeddedHeader* own = nullptr;
    found_.emplace(include.name, find(include, from, own));
    if (!missing_.empty()) return;
    if (own == nullptr) {
      waiting_.push_back(include.name);
      return;
    }
    for (const std::string_view name : own->includes) {
      add({std::string(name), {}}, include.name);
    }
  }

  std::map<std::string, std::string> finish() {
    while (!waiting_.empty() && missing_.empty()) {
      const std::string name = waiting_.front();
      waiting_.pop_front();
      follow(name, found_.at(name));
    }
    return std::move(found_);
  }

  /// Without files: the first name that is not there.
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  std::string find(const Include& include, const std::string& from, const EmbeddedHeader*& own) {
    if (const auto it = given_.find(include.name); it != given_.end()) {
      return it->second;
    }
    if (folders_ != nullptr) {
      if (auto text = find_file(include.name)) return *std::move(text);
    }
    own = embedded(include.name);
    if (own != nullptr) {
      return std::string(own->text);
    }
    if (folders_ == nullptr) {
      missing_ = include.name;
      return {};
    }
    std::string searched;
    for (const std::string& folder : *folders_) {
      searched += fmt::format("{}\"{}\"", searched.empty() ? "" : ", ", folder);
    }
    throw IoError(fmt::format(
        "failed to find the header \"{}\", which {}:{} {}: it is not among the kernel's headers, {}; give its text in "
        ".headers or its folder in .include_dirs{}",
        include.name, from, include.place.line, include.asked ? "asks for with __has_include" : "includes",
        searched.empty() ? "and there are no include folders" : "nor in the include folders " + searched,
        include.asked ? ", or ask for a macro of your own: whether a compiler finds it is not in the cache's key" : ""));
  }

  [[nodiscard]] std::optional<std::string> find_file(const std::filesystem::path& path) const {
    if (path.is_absolute()) {
      if (auto text = read_file(path)) return text;
    }
    for (const std::string& folder : *folders_) {
      if (auto text = read_file(std::filesystem::path(folder) / path)) return text;
    }
    return std::nullopt;
  }

  const std::map<std::string, std::string>& given_;
  const std::vector<std::string>* folders_;
  std::map<std::string, std::string> found_;
  std::string missing_;
  std::deque<std::string> waiting_;
};

}  // namespace

std::map<std::string, std::string> resolve_includes(const std::vector<std::pair<std::string, std::string>>& roots,
                                                    const std::map<std::string, std::string>& given,
                                                    const std::vector<std::string>& include_dirs,
                                                    const std::vector<std::string>& needed) {
  Resolver resolver(given, &include_dirs);
  for (const auto& [file, text] : roots) {
    resolver.follow(file, text);
  }
  for (const std::string& name : needed) {
    resolver.add({name, {}}, "the rendered unit");
  }
  return resolver.finish();
}

std::optional<std::map<std::string, std::string>> included_texts(const std::string& file, const std::string& text,
                                                                 const std::map<std::string, std::string>& given,
                                                                 std::string* missing) {
  Resolver resolver(given, nullptr);
  resolver.follow(file, text);
  auto found = resolver.finish();
  *missing = resolver.missing();
  return missing->empty() ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace kiln::codegen

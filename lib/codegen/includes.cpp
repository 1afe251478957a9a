// Finds every file that a kernel's texts include, before any compiler runs: what takes part is known and is in the cache's key.
#include <fmt/format.h>

#include <algorithm>
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
};

std::vector<Include> includes_of(const std::string& file, const std::string& text) {
  std::vector<Include> found;
  try {
    Scanner scanner(text);
    for (Token token = scanner.next(); token.kind != Token::Kind::end; token = scanner.next()) {
      if (token.kind == Token::Kind::identifier &&
          (token.text == "__DATE__" || token.text == "__TIME__" || token.text == "__TIMESTAMP__")) {
        throw ScanError(token.text + " may not be used: the kernel would differ at every compile and could not be cached",
                        token.place);
      }
      if (token.kind != Token::Kind::hash) {
        continue;
      }
      token = scanner.next();
      if (token.text == "include_next" || token.text == "import" || token.text == "embed") {
        throw ScanError("#" + token.text + " is not supported; name the file with #include", token.place);
      }
      if (token.text != "include") {
        continue;
      }
      const Token name = scanner.next_header_name();
      if (name.kind != Token::Kind::string || name.text.size() < 3) {
        throw ScanError("a computed #include cannot be followed; write the name of the file in quotes or angle brackets",
                        name.place);
      }
      found.push_back({name.text.substr(1, name.text.size() - 2), name.place});
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
  Resolver(const std::map<std::string, std::string>& given, const std::vector<std::string>& folders)
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
    if (own == nullptr) {
      waiting_.push_back(include.name);
      return;
    }
    for (const std::string_view name : own->includes) {
      add({std::string(name), {}}, include.name);
    }
  }

  std::map<std::string, std::string> finish() {
    while (!waiting_.empty()) {
      const std::string name = waiting_.front();
      waiting_.pop_front();
      follow(name, found_.at(name));
    }
    return std::move(found_);
  }

 private:
  std::string find(const Include& include, const std::string& from, const EmbeddedHeader*& own) const {
    if (const auto it = given_.find(include.name); it != given_.end()) {
      return it->second;
    }
    const std::filesystem::path path(include.name);
    if (path.is_absolute()) {
      if (auto text = read_file(path)) {
        return *std::move(text);
      }
    }
    for (const std::string& folder : folders_) {
      if (auto text = read_file(std::filesystem::path(folder) / path)) {
        return *std::move(text);
      }
    }
    own = embedded(include.name);
    if (own != nullptr) {
      return std::string(own->text);
    }
    std::string searched;
    for (const std::string& folder : folders_) {
      searched += fmt::format("{}\"{}\"", searched.empty() ? "" : ", ", folder);
    }
    throw IoError(fmt::format(
        "failed to find the header \"{}\", which {}:{} includes: it is not among the kernel's headers, {}; give its text in "
        ".headers or its folder in .include_dirs",
        include.name, from, include.place.line,
        searched.empty() ? "and there are no include folders" : "nor in the include folders " + searched));
  }

  const std::map<std::string, std::string>& given_;
  const std::vector<std::string>& folders_;
  std::map<std::string, std::string> found_;
  std::deque<std::string> waiting_;
};

}  // namespace

std::map<std::string, std::string> resolve_includes(const std::vector<std::pair<std::string, std::string>>& roots,
                                                    const std::map<std::string, std::string>& given,
                                                    const std::vector<std::string>& include_dirs,
                                                    const std::vector<std::string>& needed) {
  Resolver resolver(given, include_dirs);
  for (const auto& [file, text] : roots) {
    resolver.follow(file, text);
  }
  for (const std::string& name : needed) {
    resolver.add({name, {}}, "the rendered unit");
  }
  return resolver.finish();
}

}  // namespace kiln::codegen

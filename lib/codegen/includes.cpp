// Finds every file that a kernel's texts include, before any compiler runs: what takes part is known and is in the cache's key.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "codegen/embedded.hpp"
#include "codegen/include_directives.hpp"
#include "codegen/text_error.hpp"
#include "codegen/user_text.hpp"

namespace kiln::codegen {
namespace {

namespace fs = std::filesystem;

// One of the library's own headers, or null.
const EmbeddedHeader* embedded(const std::string& name) {
  const auto& all = embedded_texts();
  const auto found =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const EmbeddedHeader& header, const std::string& wanted) { return header.name < wanted; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.good() && !stream.eof()) {
    throw IoError(fmt::format("failed to read the header \"{}\"", path.string()));
  }
  return text;
}

fs::path root_of(const std::string& folder) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(folder.empty() ? "." : folder, ignored);
  return (whole.empty() ? fs::path(folder) : whole).lexically_normal();
}

// Whether a file is below a folder, by their names alone: no link is followed.
bool lies_in(const fs::path& file, const fs::path& folder) {
  const fs::path rest = file.lexically_relative(folder);
  return !rest.empty() && *rest.begin() != "..";
}

// Whether a name may be that of a file outside the folder that it is looked for in.
bool leads_out(const fs::path& name) {
  return name.is_absolute() || *name.lexically_normal().begin() == "..";
}

class Resolver {
 public:
  /// Null folders: no file is read.
  Resolver(const std::map<std::string, std::string>& given, const std::vector<std::string>* folders)
      : given_(given), folders_(folders) {
    if (folders == nullptr) return;
    for (const std::string& folder : *folders) roots_.push_back(root_of(folder));
  }

  void follow(const std::string& file, const std::string& text) {
    for (const Include& include : includes_of(file, text)) {
      try {
        add(include, file);
      } catch (const ScanError& error) {
        throw text_error(file, text, error);
      }
    }
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
  /// Throws IoError where there is none, and ScanError where no folder may have it.
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
    if (is_outside(include.name)) {
      throw ScanError(
          fmt::format(
              "the header \"{}\" is not read: {}; give its folder in .compile.include_dirs or its text in .compile.headers",
              include.name,
              searched.empty() ? "there are no include folders" : "it is outside the include folders " + searched),
          include.place);
    }
    throw IoError(fmt::format(
        "failed to find the header \"{}\", which {}:{} {}: it is not among the kernel's headers, {}; give its text in "
        ".compile.headers or its folder in .compile.include_dirs{}",
        include.name, from, include.place.line, include.asked ? "asks for with __has_include" : "includes",
        searched.empty() ? "and there are no include folders" : "nor in the include folders " + searched,
        include.asked ? ", or ask for a macro of your own: whether a compiler finds it is not in the cache's key" : ""));
  }

  /// A name with ".." may lead from one of them into another.
  [[nodiscard]] bool lies_in_folders(const fs::path& file) const {
    return std::ranges::any_of(roots_, [&](const fs::path& root) { return lies_in(file, root); });
  }

  [[nodiscard]] bool is_outside(const fs::path& name) const {
    return leads_out(name) && std::ranges::none_of(roots_, [&](const fs::path& root) {
             return lies_in_folders((root / name).lexically_normal());
           });
  }

  [[nodiscard]] std::optional<std::string> find_file(const fs::path& name) const {
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      const bool out = leads_out(name);
      const fs::path file = out ? (roots_[i] / name).lexically_normal() : fs::path((*folders_)[i]) / name.lexically_normal();
      if (out && !lies_in_folders(file)) continue;
      if (auto text = read_file(file)) return text;
    }
    return std::nullopt;
  }

  const std::map<std::string, std::string>& given_;
  const std::vector<std::string>* folders_;
  std::vector<fs::path> roots_;  // the folders, as names are held against them
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

// Finds every file that a kernel's texts include, before any compiler runs: what takes part is known and is in the cache's key.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "source/embedded.hpp"
#include "source/include_directives.hpp"
#include "source/text_error.hpp"
#include "source/user_text.hpp"
#include "types/reason.hpp"

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

/// <vector>, <stdio.h>: one of the standard library, by its name.
bool is_standard(const Include& include) {
  constexpr std::string_view kOfC[] = {"ctype.h",  "errno.h", "fenv.h",   "inttypes.h", "locale.h", "setjmp.h", "signal.h",
                                       "stdarg.h", "stdio.h", "string.h", "time.h",     "uchar.h",  "wchar.h",  "wctype.h"};
  return include.angled &&
         (include.name.find_first_of("./") == std::string::npos || std::ranges::find(kOfC, include.name) != std::end(kOfC));
}

/// "<algorithm>, <array>, …": those that kernels have.
std::string standard_headers() {
  std::string list;
  for (const EmbeddedHeader& header : embedded_texts()) {
    if (header.standard) list += fmt::format("{}<{}>", list.empty() ? "" : ", ", header.name);
  }
  return list;
}

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.good() && !stream.eof()) {
    throw Because<IoError>(Reason::header, fmt::format("failed to read the header \"{}\"", path.string()));
  }
  return text;
}

/// A mark of UTF-8, as editors on Windows put it in front of a file, is none of the text. The scanner knows none.
std::string without_mark(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
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

/// What there is in the place of a library of CUDA's whose headers begin so.
struct Absent {
  std::string_view begin;
  std::string_view instead;
};
constexpr Absent kAbsent[] = {
    {"cub/", "kernels have no CUB; a warp reduces by warp_sum() or warp_reduce(), a block with KILN_SHARED and barrier()"},
    {"cooperative_groups/",
     "of cooperative groups there are cooperative_groups.h, cooperative_groups/reduce.h and cooperative_groups/scan.h"},
    {"thrust/", "of Thrust kernels have thrust::complex alone, in thrust/complex.h"}};

/// Whether kiln's own header takes the place of a file in an include folder: CuPy's headers want Thrust and libcu++.
bool stands_in(const std::string& name) {
  return name.starts_with("cupy/") && embedded(name) != nullptr;
}

/// A file that an #include means.
struct Found {
  std::string text;
  std::string place;  ///< what no two files have in common
  std::string name;   ///< that it is known by, unless another file has it already
  bool kilns = false;
};

class Resolver {
 public:
  /// Null folders: no file is read.
  Resolver(const std::map<std::string, std::string>& given, const std::vector<std::string>* folders)
      : given_(given), folders_(folders) {
    if (folders == nullptr) return;
    for (const std::string& folder : *folders) roots_.push_back(root_of(folder));
  }

  /// A text that stands in no folder. What it names keeps that name.
  void follow(const std::string& file, const std::string& text) {
    for (const Include& include : includes_of(file, text)) {
      if (std::optional<Found> found = find(include, file, text, nullptr)) {
        const std::string place = found->place;
        known_.emplace(place, include.name);
        add(include.name, *std::move(found));
      } else if (include.conditional && !include.asked) {
        add_absent(include, file);
      }
    }
  }

  void need(const std::string& name) { add(name, by_name(name).value()); }

  std::map<std::string, std::string> finish() {
    while (!waiting_.empty() && missing_.empty()) {
      const std::string name = waiting_.front();
      waiting_.pop_front();
      follow_header(name);
    }
    for (const auto& [name, includes] : includes_) write_names(name, includes);
    return std::move(texts_);
  }

  /// Without files: the first name that is not there.
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  struct Target {
    Include include;
    std::string name;
  };

  void add(const std::string& name, Found found) {
    if (texts_.contains(name)) return;
    texts_.emplace(name, without_mark(std::move(found.text)));
    // Scanning the library's own headers would take most of the time to a key; the build has done it.
    if (!found.kilns) {
      places_.emplace(name, std::move(found.place));
      waiting_.push_back(name);
      return;
    }
    if (const EmbeddedHeader* const own = embedded(name)) {
      for (const std::string_view included : own->includes) need(std::string(included));
    }
  }

  /// What says, where a compiler reads it after all, that the file is not there.
  void add_absent(const Include& include, const std::string& from) {
    texts_.emplace(absent_header(include.name),
                   fmt::format("#line {} \"{}\"\n#error \"failed to find the header {}: it is not among the headers of the "
                               "kernel, nor in its include folders\"\n",
                               include.place.line, from, include.name));
  }

  void follow_header(const std::string& name) {
    const std::string text = texts_.at(name);
    for (const Include& include : includes_of(name, text)) {
      std::optional<Found> found = find(include, name, text, &name);
      if (!found) {
        if (!missing_.empty()) return;
        includes_[name].push_back({include, include.asked ? std::string(kNoHeader) : absent_header(include.name)});
        if (!include.asked) add_absent(include, name);
        continue;
      }
      const std::string known = known_as(*found);
      includes_[name].push_back({include, known});
      add(known, *std::move(found));
    }
  }

  /// Files of one name in several folders are distinguished.
  std::string known_as(const Found& found) {
    if (const auto known = known_.find(found.place); known != known_.end()) return known->second;
    std::string name = found.name;
    for (int n = 1; texts_.contains(name); ++n) name = fmt::format("{}/{}", n, found.name);
    known_.emplace(found.place, name);
    return name;
  }

  /// In the text of a header, the names that its files are known by, where a compiler would look for others.
  void write_names(const std::string& name, const std::vector<Target>& includes) {
    std::string& text = texts_.at(name);
    std::string written;
    std::size_t done = 0;
    for (const Target& target : includes) {
      const Include& include = target.include;
      const std::string beside = include.angled ? std::string() : beside_name(name, include.name);
      const bool other = !beside.empty() && beside != target.name && texts_.contains(beside);
      if (include.name == target.name && !other) continue;
      written.append(text, done, include.begin - done);
      written += '<' + target.name + '>';
      // A name may be spliced over lines.
      for (std::size_t at = include.begin; at < include.end; ++at) written += text[at] == '\n' ? "\\\n" : "";
      done = include.end;
    }
    text = written + text.substr(done);
  }

  /// The name of a file beside another.
  static std::string beside_name(const fs::path& file, const fs::path& name) {
    return (file.parent_path() / name).lexically_normal().string();
  }

  /// Throws IoError where there is none, and ScanError where no folder may have it. Nothing for a file that the compiler may do
  /// without. `header`: the name of the header that includes it.
  std::optional<Found> find(const Include& include, const std::string& from, const std::string& text,
                            const std::string* header) {
    if (header != nullptr && !include.angled) {
      if (std::optional<Found> found = beside(*header, include.name)) return found;
    }
    if (std::optional<Found> found = by_name(include.name)) return found;
    if (include.asked || include.conditional) return std::nullopt;
    if (folders_ == nullptr) {
      missing_ = include.name;
      return std::nullopt;
    }
    std::string searched;
    for (const std::string& folder : *folders_) {
      searched += fmt::format("{}\"{}\"", searched.empty() ? "" : ", ", folder);
    }
    if (is_outside(include.name)) {
      const ScanError error(
          fmt::format(
              "the header \"{}\" is not read: {}; give its folder in .compile.include_dirs or its text in .compile.headers",
              include.name,
              searched.empty() ? "there are no include folders" : "it is outside the include folders " + searched),
          include.place);
      throw text_error(from, text, error);
    }
    for (const Absent& absent : kAbsent) {
      if (!include.name.starts_with(absent.begin)) continue;
      throw Because<IoError>(Reason::header, fmt::format("failed to find the header \"{}\", which {}:{} includes: {}",
                                                         include.name, from, include.place.line, absent.instead));
    }
    if (is_standard(include)) {
      throw Because<IoError>(
          Reason::header,
          fmt::format("failed to find the header <{}>, which {}:{} includes: kernels have no such header of the standard "
                      "library; there are {}",
                      include.name, from, include.place.line, standard_headers()));
    }
    throw Because<IoError>(Reason::header, fmt::format("failed to find the header \"{}\", which {}:{} includes: it is not "
                                                       "among the kernel's headers, {}; give its text in "
                                                       ".compile.headers or its folder in .compile.include_dirs",
                                                       include.name, from, include.place.line,
                                                       searched.empty() ? "and there are no include folders"
                                                                        : "nor in the include folders " + searched));
  }

  std::optional<Found> by_name(const std::string& name) const {
    if (const auto it = given_.find(name); it != given_.end()) {
      return Found{.text = it->second, .place = "given " + name, .name = name};
    }
    for (std::size_t i = 0; i < roots_.size() && !stands_in(name); ++i) {
      const bool out = leads_out(name);
      const fs::path file =
          out ? (roots_[i] / name).lexically_normal() : fs::path((*folders_)[i]) / fs::path(name).lexically_normal();
      if (out && !lies_in_folders(file)) continue;
      if (auto text = read_file(file)) return Found{*std::move(text), (roots_[i] / name).lexically_normal().string(), name};
    }
    if (const EmbeddedHeader* const own = embedded(name)) {
      return Found{.text = std::string(own->text), .place = "kiln " + name, .name = name, .kilns = true};
    }
    return std::nullopt;
  }

  /// As by_name(), beside the header of that name: in the folder that it was found in.
  std::optional<Found> beside(const std::string& header, const std::string& name) const {
    const std::string wanted = beside_name(header, name);
    if (const auto it = given_.find(wanted); it != given_.end()) {
      return Found{.text = it->second, .place = "given " + wanted, .name = wanted};
    }
    if (stands_in(wanted)) return by_name(wanted);
    const std::string& place = places_.at(header);
    if (!fs::path(place).is_absolute()) return wanted == name ? std::nullopt : by_name(wanted);
    const fs::path file = beside_name(place, name);
    if (!lies_in_folders(file)) return std::nullopt;
    if (auto text = read_file(file)) return Found{.text = *std::move(text), .place = file.string(), .name = wanted};
    return std::nullopt;
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

  const std::map<std::string, std::string>& given_;
  const std::vector<std::string>* folders_;
  std::vector<fs::path> roots_;  // the folders, as names are held against them
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::string> places_;            // of those that are not kiln's, by their names
  std::map<std::string, std::string> known_;             // the name of what is in a place
  std::map<std::string, std::vector<Target>> includes_;  // of each header
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
    resolver.need(name);
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

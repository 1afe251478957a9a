#include "kernel/header_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "kernel/kernel_text.hpp"
#include "source/include_directives.hpp"

namespace kiln::kinds {

using codegen::Include;

namespace {

using Texts = std::map<std::string, std::string>;

bool leads_elsewhere(const std::string& name) {
  const std::filesystem::path path = name;
  return path.is_absolute() || std::ranges::find(path, "..") != path.end();
}

std::string with_new_names(const std::string& file, const std::string& text, const Texts& headers, const Texts& new_names) {
  std::string result;
  std::size_t done = 0;
  for (const Include& include : codegen::includes_of(file, text)) {
    std::string name = include.name;
    if (const auto found = new_names.find(name); found != new_names.end()) {
      name = found->second;
    } else if (headers.contains(name)) {
      continue;
    } else if (include.asked) {
      name = codegen::kNoHeader;
    } else if (const std::string absent = codegen::absent_header(name); headers.contains(absent)) {
      name = absent;
    } else {
      continue;
    }
    result.append(text, done, include.begin - done);
    result += '"' + name + '"';
    // A name may be spliced over lines.
    for (std::size_t at = include.begin; at < include.end; ++at) result += text[at] == '\n' ? "\\\n" : "";
    done = include.end;
  }
  return result + text.substr(done);
}

/// Whether a text may name a header that is not there.
bool may_lack_headers(const std::string& source, const Texts& headers) {
  const auto absent = headers.lower_bound(std::string(codegen::kNoHeader) + '/');
  return (absent != headers.end() && absent->first.starts_with(codegen::kNoHeader)) ||
         source.find("__has_") != std::string::npos;
}

}  // namespace

void rename_headers(std::string& source, Texts& headers) {
  Texts new_names;
  for (const auto& [name, text] : headers) {
    if (!leads_elsewhere(name)) continue;
    std::string renamed = fmt::format("kiln/renamed/{}.hpp", new_names.size());
    while (headers.contains(renamed)) renamed.insert(renamed.size() - 4, "_");
    new_names.emplace(name, std::move(renamed));
  }
  if (!new_names.empty() || may_lack_headers(source, headers)) source = with_new_names("kernel", source, headers, new_names);
  if (new_names.empty()) return;
  Texts renamed;
  for (const auto& [name, text] : headers) {
    const auto found = new_names.find(name);
    const std::string now = with_new_names(name, text, headers, new_names);
    if (found == new_names.end()) {
      renamed.emplace(name, now);
    } else {
      renamed.emplace(found->second, fmt::format("#line 1 {}\n{}", string_literal(name), now));
    }
  }
  headers = std::move(renamed);
}

}  // namespace kiln::kinds

#include "base/own_folder.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace kiln::base {
namespace {

/// The path without "bin/..", where that leads to the same folder: it may go through links.
std::string without_dots(const std::string& path) {
  const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
  std::error_code error;
  const bool same = std::filesystem::equivalent(normal.parent_path(), std::filesystem::path(path).parent_path(), error);
  return same ? normal.string() : path;
}

}  // namespace

std::string own_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_file), &info) == 0 || info.dli_fname == nullptr) return {};
  return without_dots(info.dli_fname);
}

std::string own_folder() {
  const std::string name = own_file();
  if (name.empty()) return {};
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? "." : name.substr(0, slash);
}

std::vector<std::string> candidates_beside(const std::string& file, const std::string& installed) {
  std::vector<std::string> candidates;
  const auto add = [&](std::string candidate) {
    if (std::ranges::find(candidates, candidate) == candidates.end()) candidates.push_back(std::move(candidate));
  };
  if (const std::string folder = own_folder(); !folder.empty()) {
    add(folder + '/' + file);
    add(without_dots(folder + "/../lib/" + file));
  }
  add(installed + '/' + file);
  return candidates;
}

std::string how_to_install(const std::string& file, const std::string& package, const std::string& variable) {
  if (package.empty()) return "install " + file + " beside libkiln.so, or name it in " + variable;
  return "install the package " + package + ", which has " + file + ", or name that file in " + variable;
}

}  // namespace kiln::base

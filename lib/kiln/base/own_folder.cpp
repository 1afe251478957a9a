#include "base/own_folder.hpp"

#include <dlfcn.h>

#include <string_view>

namespace kiln::base {

std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string_view name = info.dli_fname;
  const std::size_t slash = name.rfind('/');
  return std::string(slash == std::string_view::npos ? "." : name.substr(0, slash));
}

std::vector<std::string> candidates_beside(const std::string& file, const std::string& installed) {
  std::vector<std::string> candidates;
  if (const std::string folder = own_folder(); !folder.empty()) {
    candidates.push_back(folder + '/' + file);
    candidates.push_back(folder + "/../lib/" + file);
  }
  candidates.push_back(installed + '/' + file);
  return candidates;
}

std::string how_to_install(const std::string& file, const std::string& package, const std::string& variable) {
  if (package.empty()) return "install " + file + " beside libkiln.so, or name it in " + variable;
  return "install the package " + package + ", which has " + file + ", or name that file in " + variable;
}

}  // namespace kiln::base

#include "base/own_folder.hpp"

#include <dlfcn.h>

#include <string_view>

namespace kiln::base {

std::vector<std::string> candidates_beside(const std::string& file, const std::string& installed) {
  std::vector<std::string> candidates;
  Dl_info info{};
  // Nothing where the loader cannot tell.
  if (dladdr(reinterpret_cast<const void*>(&candidates_beside), &info) != 0 && info.dli_fname != nullptr) {
    const std::string_view name = info.dli_fname;
    const std::size_t slash = name.rfind('/');
    const std::string folder(slash == std::string_view::npos ? "." : name.substr(0, slash));
    candidates.push_back(folder + '/' + file);
    candidates.push_back(folder + "/../lib/" + file);
  }
  candidates.push_back(installed + '/' + file);
  return candidates;
}

}  // namespace kiln::base

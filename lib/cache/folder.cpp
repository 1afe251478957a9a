#include "cache/folder.hpp"

#include <fmt/format.h>

namespace kiln::cache {

base::FileDescriptor open_folder(const std::string& directory, std::string_view folder, int access) {
  return base::FileDescriptor::open(fmt::format("{}/{}", directory, folder), access | O_DIRECTORY | O_NOFOLLOW);
}

base::FileDescriptor open_folder_of(const std::string& directory, std::string_view path) {
  return open_folder(directory, path.substr(0, path.find('/')));
}

}  // namespace kiln::cache

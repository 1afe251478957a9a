#include "temporary_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "kiln/error.hpp"

namespace kiln::tool {

TemporaryFolder::TemporaryFolder() {
  std::error_code fault;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(fault);
  std::string name = ((fault ? std::filesystem::path("/tmp") : parent) / "kiln-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw IoError(fmt::format("cannot make the temporary folder \"{}\": {}; set TMPDIR to a folder that can be written", name,
                              std::strerror(errno)));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace kiln::tool

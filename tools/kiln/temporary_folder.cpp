#include "temporary_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp

#include <cerrno>
#include <string>
#include <system_error>

#include "kiln/error.hpp"

namespace kiln::tool {
namespace fs = std::filesystem;
namespace {

fs::path make_folder(std::string name) {
  if (mkdtemp(name.data()) == nullptr) {
    throw fs::filesystem_error("cannot make a folder", name, std::error_code(errno, std::generic_category()));
  }
  return name;
}

fs::path make_below_tmpdir() {
  std::error_code fault;
  const fs::path parent = fs::temp_directory_path(fault);
  try {
    return make_folder(((fault ? fs::path("/tmp") : parent) / "kiln-XXXXXX").string());
  } catch (const fs::filesystem_error& error) {
    throw IoError(fmt::format("cannot make the temporary folder \"{}\": {}; set TMPDIR to a folder that can be written",
                              error.path1().string(), error.code().message()));
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  const SignalsHeld held;
  path_ = make_below_tmpdir();
  leftover_.emplace(path_.c_str());
}

TemporaryFolder::TemporaryFolder(const fs::path& parent) {
  const SignalsHeld held;
  path_ = make_folder((parent / ".kiln-XXXXXX").string());
  leftover_.emplace(path_.c_str());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace kiln::tool

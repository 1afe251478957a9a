// Where the texts are that tests/golden/pack.py packed.
#pragma once

#include <filesystem>
#include <string>

namespace kiln::test {

/// The path of a text: "print.txt", "math/values.txt". CMake unpacked it in the build folder, in which this program is, too.
inline std::string golden_text(const std::string& name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "golden" / name).string();
}

}  // namespace kiln::test

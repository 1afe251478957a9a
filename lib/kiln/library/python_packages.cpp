#include "library/python_packages.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/environment.hpp"
#include "base/own_folder.hpp"

namespace kiln::backend::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPython = "python3.";

/// "python3.11" of a folder, the newest first.
std::vector<std::string> pythons_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, error)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(kPython)) names.push_back(std::move(name));
  }
  const auto release = [](const std::string& name) { return std::atoi(name.c_str() + kPython.size()); };
  std::ranges::sort(names, [&](const std::string& a, const std::string& b) { return release(a) > release(b); });
  return names;
}

}  // namespace

std::vector<std::string> python_packages() {
  std::vector<std::string> all;
  const auto add = [&](const fs::path& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) return;
    if (std::ranges::find(all, folder.string()) == all.end()) all.push_back(folder.string());
  };
  const auto add_below = [&](const fs::path& prefix) {
    for (const std::string& python : pythons_in(prefix / "lib")) {
      add(prefix / "lib" / python / "site-packages");
      add(prefix / "lib" / python / "dist-packages");
    }
  };
  const auto add_named = [&](const char* variable, const char* below) {
    const std::string prefix = base::env(variable).value_or("");
    if (prefix.starts_with('/')) add_below(fs::path(prefix) / below);
  };
  const std::string listed = base::env("KILN_PYTHON_PACKAGES").value_or("");
  for (std::size_t start = 0; start < listed.size();) {
    const std::size_t end = std::min(listed.find(':', start), listed.size());
    if (const fs::path folder = listed.substr(start, end - start); folder.is_absolute()) {
      add(folder.has_filename() ? folder : folder.parent_path());
    }
    start = end + 1;
  }
  add_named("VIRTUAL_ENV", "");
  add_named("CONDA_PREFIX", "");
  for (fs::path folder = base::own_folder(); folder.has_relative_path(); folder = folder.parent_path()) {
    const std::string name = folder.filename().string();
    if (name == "site-packages" || name == "dist-packages") add(folder);
  }
  add_named("HOME", ".local");
  for (const char* prefix : {"/usr/local", "/usr"}) add_below(prefix);
  add("/usr/lib/python3/dist-packages");  // Debian's
  return all;
}

}  // namespace kiln::backend::gpu

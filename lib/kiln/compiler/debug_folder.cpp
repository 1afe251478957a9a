#include "compiler/debug_folder.hpp"

#include <algorithm>

namespace kiln::backend {
namespace {

const std::string& folder_in_code() {
  static const std::string name = [] {
    std::string padded = "/kiln-debug-folder/";
    padded.resize(kLongestDebugFolder, '-');
    return padded;
  }();
  return name;
}

}  // namespace

std::vector<std::string> debug_folder_options() {
  return {"-fdebug-compilation-dir=" + folder_in_code(), "-fdebug-prefix-map=/kiln/=" + folder_in_code() + "/"};
}

// DWARF 5, the CPU's, refers to each path by where it begins: what follows its end is free. In that of GPUs' code
// they are consecutive, so there a path stays as long as it was, by slashes that it may have.
std::string with_debug_folder(std::string_view code, std::string_view folder, DeviceKind kind) {
  std::string placed(code);
  if (folder.empty() || folder.size() > kLongestDebugFolder) return placed;
  const std::string& named = folder_in_code();
  for (std::size_t at = placed.find(named); at != std::string::npos; at = placed.find(named, at + named.size())) {
    const std::size_t end = std::min(placed.find('\0', at), placed.size());
    std::string path(folder);
    if (kind != DeviceKind::cpu) path.resize(named.size(), '/');
    path.append(placed, at + named.size(), end - at - named.size());
    path.resize(end - at, '\0');
    placed.replace(at, path.size(), path);
  }
  return placed;
}

std::string debug_code_file(const std::string& kernel) {
  std::string name = kernel.substr(0, 100);
  std::ranges::replace_if(name, [](char c) { return c == '/' || c == '\0'; }, '_');
  return name + ".so";
}

}  // namespace kiln::backend

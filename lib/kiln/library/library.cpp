// Finds a vendor's library file.
#include "library/library.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/environment.hpp"
#include "library/python_packages.hpp"

namespace kiln::backend::gpu {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr const char* kSystemFolders[] = {"/usr/local/lib", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"};
#else
constexpr const char* kSystemFolders[] = {"/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"};
#endif

std::string environment(const char* name) {
  return base::env(name).value_or("");
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// "13" of "libnvrtc.so.13"; 0 where there is none.
int major_of(std::string_view soname) {
  const std::size_t at = soname.find(".so.");
  return at == std::string_view::npos ? 0 : std::atoi(std::string(soname.substr(at + 4)).c_str());
}

std::vector<std::string> search_folders(const LibrarySearch& search, std::string_view first_folder) {
  std::vector<std::string> folders;
  const auto add = [&](std::string folder) {
    if (!folder.empty() && std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(std::move(folder));
  };
  add(std::string(first_folder));
  const std::string library_path = environment("LD_LIBRARY_PATH");
  std::string_view paths = library_path;
  while (!paths.empty()) {
    const std::size_t end = paths.find(':');
    // A relative folder would make the answer depend on where the process stands.
    if (paths.starts_with('/')) add(std::string(paths.substr(0, end)));
    paths.remove_prefix(end == std::string_view::npos ? paths.size() : end + 1);
  }
  const auto add_home = [&](std::string_view home) {
    for (const char* folder : search.folders) add(std::string(home) + "/" + folder);
  };
  for (const char* variable : search.home_variables) {
    if (const std::string home = environment(variable); !home.empty()) add_home(home);
  }
  for (const char* home : search.homes) add_home(home);
  std::error_code error;
  for (const char* folder : kSystemFolders) {
    if (fs::is_directory(folder, error)) add(folder);
  }
  if (search.packages.empty()) return folders;
  // conda puts them beside its own libraries.
  if (const std::string conda = environment("CONDA_PREFIX"); conda.starts_with('/')) add(conda + "/lib");
  for (const std::string& packages : python_packages()) {
    for (const char* package : search.packages) {
      const std::string folder = packages + "/" + package;
      if (fs::is_directory(folder, error)) add(folder);
    }
  }
  return folders;
}

/// "13.0.88" of "libnvrtc.so.13.0.88"; empty unless it is digits and dots that start with a digit.
std::string version_suffix(std::string_view name) {
  const std::size_t at = name.find(".so.");
  if (at == std::string_view::npos) return {};
  const std::string_view text = name.substr(at + 4);
  if (text.empty() || text.front() == '.' || text.find_first_not_of("0123456789.") != std::string_view::npos) return {};
  return std::string(text);
}

}  // namespace

std::vector<std::string> candidates(const LibrarySearch& search, std::string_view first_folder, int newest) {
  if (std::string file = environment(search.variable); !file.empty()) return {std::move(file)};
  std::vector<std::string> names;
  const std::vector<std::string> folders = search_folders(search, first_folder);
  for (const char* soname : search.sonames) {
    if (newest != 0 && major_of(soname) > newest) continue;
    if (search.loader_first) names.emplace_back(soname);
    for (const std::string& folder : folders) names.push_back(folder + "/" + soname);
    if (!search.loader_first) names.emplace_back(soname);
  }
  return names;
}

Located locate(const std::vector<std::string>& candidates) {
  Located located;
  for (const std::string& name : candidates) {
    if (name.find('/') != std::string::npos) {
      if (is_file(name)) {
        located.path = name;
        return located;
      }
      located.attempts.push_back({name, "no such file"});
      continue;
    }
    auto opened = base::DynamicLibrary::open_first(std::span(&name, 1), base::Unload::never);
    if (opened.library) {
      located.path = opened.library.path();
      located.library = std::move(opened.library);
      return located;
    }
    shorten(opened.attempts);
    located.attempts.insert(located.attempts.end(), opened.attempts.begin(), opened.attempts.end());
  }
  return located;
}

void shorten(std::vector<base::Attempt>& attempts) {
  for (base::Attempt& attempt : attempts) {
    if (attempt.reason.find("No such file") == std::string::npos) continue;
    attempt.reason = attempt.name.find('/') == std::string::npos ? "not found by the loader" : "no such file";
  }
}

std::string version_in_name(const std::string& path) {
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  if (error) return {};
  std::string best = version_suffix(file.filename().string());
  const std::string stem = file.filename().string().substr(0, file.filename().string().find('.'));
  for (const auto& entry : fs::directory_iterator(file.parent_path(), fs::directory_options::skip_permission_denied, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(stem + "-builtins.so.")) continue;
    const std::string version = version_suffix(name);
    if (version.size() > best.size() && version.starts_with(best)) best = version;
  }
  return best;
}

int release_number(const std::string& version) {
  const int major = std::atoi(version.c_str());
  const std::size_t dot = version.find('.');
  return major * 100 + (dot == std::string::npos ? 0 : std::min(99, std::atoi(version.c_str() + dot + 1)));
}

std::string build_id(const std::string& path) {
  constexpr std::size_t kDigits = 12;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof(header)) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return {};
  }
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof(segment)));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof(segment))) return {};
    if (segment.p_type != PT_NOTE || segment.p_filesz > 4096) continue;
    std::string notes(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!file.read(notes.data(), static_cast<std::streamsize>(notes.size()))) return {};
    const auto padded = [](std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; };
    for (std::size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
      Elf64_Nhdr note{};
      std::memcpy(&note, notes.data() + at, sizeof(note));
      const std::size_t name = at + sizeof(note);
      const std::size_t description = name + padded(note.n_namesz);
      if (description + note.n_descsz > notes.size()) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && notes.compare(name, 3, "GNU") == 0) {
        std::string digits;
        for (std::size_t byte = 0; byte < note.n_descsz && digits.size() < kDigits; ++byte) {
          const auto value = static_cast<unsigned char>(notes[description + byte]);
          digits += "0123456789abcdef"[value >> 4];
          digits += "0123456789abcdef"[value & 15];
        }
        return digits;
      }
      at = description + padded(note.n_descsz);
    }
  }
  return {};
}

}  // namespace kiln::backend::gpu

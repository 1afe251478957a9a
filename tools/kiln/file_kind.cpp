#include "file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "declaration.hpp"
#include "scalar_text.hpp"

namespace kiln::tool {
namespace fs = std::filesystem;
namespace {

std::string first_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 512> block{};
  file.read(block.data(), block.size());
  return {block.data(), static_cast<std::size_t>(file.gcount())};
}

std::string extension_of(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

/// Whether the first line is several numbers between commas. Programs and prose have commas, too.
bool is_csv(std::string_view bytes) {
  std::string_view line = bytes.substr(0, bytes.find_first_of("\r\n"));
  if (line.find(',') == std::string_view::npos) return false;
  for (;;) {
    const std::size_t comma = line.find(',');
    std::string_view field = line.substr(0, comma);
    while (field.starts_with(' ')) field.remove_prefix(1);
    while (field.ends_with(' ')) field.remove_suffix(1);
    if (!read_scalar(field)) return false;
    if (comma == std::string_view::npos) return true;
    line.remove_prefix(comma + 1);
  }
}

std::string python(std::string_view program) {
  return fmt::format("python3 -c {}", shell_word(program));
}

/// A name that Python would not read as it stands is FILE.
std::string python_name(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) { return c >= 0x20 && c != '"' && c != '\\'; });
  return "\"" + (plain ? name : "FILE") + "\"";
}

std::string with_extension(const std::string& name, std::string_view extension) {
  return fs::path(name).replace_extension(extension).string();
}

}  // namespace

bool is_archive(const std::string& path) {
  std::error_code fault;
  if (!fs::is_regular_file(path, fault)) return false;
  const std::string bytes = first_bytes(path);
  if (bytes.starts_with("\x93NUMPY")) return false;
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06") || extension_of(path) == ".npz";
}

std::string explain_input(const std::string& path, const std::string& shown) {
  std::error_code fault;
  if (!fs::is_regular_file(path, fault)) return "";  // what comes out of a pipe is gone then
  const std::string bytes = first_bytes(path);
  if (bytes.starts_with("\x93NUMPY")) return "";
  const std::string name = path == shown ? path : "FILE";
  const std::string quoted = path == shown ? "\"" + shown + "\"" : shown;
  const std::string to = python_name(with_extension(name, ".npy"));
  if (extension_of(path) == ".csv" || (!bytes.empty() && is_csv(bytes))) {
    return fmt::format(
        "{} is CSV text, and kiln reads .npy: {}", quoted,
        python(fmt::format("import numpy as np; np.save({}, np.loadtxt({}, delimiter=\",\"))", to, python_name(name))));
  }
  return "";
}

bool is_picture(const std::string& name) {
  return extension_of(name) == ".png";
}

std::string explain_output(const std::string& name) {
  const std::string extension = extension_of(name);
  constexpr std::string_view kOtherPictures[] = {".bmp", ".gif", ".jpeg", ".jpg", ".tif", ".tiff", ".webp"};
  if (std::find(std::begin(kOtherPictures), std::end(kOtherPictures), extension) != std::end(kOtherPictures)) {
    return fmt::format("\"{}\" would be a {} picture, and kiln writes PNG: give -o {}", name, extension,
                       shell_word(with_extension(name, ".png")));
  }
  if (extension != ".npz" && extension != ".csv") return "";
  const std::string npy = with_extension(name, ".npy");
  const std::string call =
      extension == ".npz" ? fmt::format("np.savez({}, np.load({}))", python_name(name), python_name(npy))
                          : fmt::format("np.savetxt({}, np.load({}), delimiter=\",\")", python_name(name), python_name(npy));
  return fmt::format("\"{}\" would be a {}, and kiln writes .npy: give -o {}, then {}", name,
                     extension == ".npz" ? ".npz archive (zip)" : "CSV file", shell_word(npy),
                     python("import numpy as np; " + call));
}

}  // namespace kiln::tool

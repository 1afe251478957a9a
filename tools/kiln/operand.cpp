#include "operand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "file_kind.hpp"
#include "kiln/error.hpp"
#include "kiln/npy.hpp"
#include "kiln/npz.hpp"
#include "temporary_folder.hpp"

namespace kiln::tool {
namespace {

constexpr std::size_t kMostListed = 8;

/// The array of that name, or the only one.
Array read_archive(const std::string& path, const std::string& shown, const std::string& name) {
  if (!name.empty()) return load_npz(path, name);
  const std::vector<std::string> names = npz_names(path);
  if (names.size() == 1) return load_npz(path, names.front());
  if (names.empty()) throw IoError(fmt::format("{} has no arrays", shown));
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i)
    list += fmt::format("{}{}:{}", i == 0 ? "" : ", ", path, names[i]);
  throw IoError(
      fmt::format("{} has {} arrays; name one: {}{}", shown, names.size(), list, names.size() > kMostListed ? ", …" : ""));
}

/// By way of a file, since the library reads files.
Array read_standard_input() {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "standard-input.npy";
  errno = 0;
  std::ofstream copy(path, std::ios::binary);
  // Copying nothing sets failbit: an empty input is for load_npy to report.
  if (std::cin.peek() != std::istream::traits_type::eof()) copy << std::cin.rdbuf();
  copy.close();
  if (!copy) throw IoError(fmt::format("cannot copy standard input to \"{}\": {}", path.string(), std::strerror(errno)));
  if (const std::string other = explain_input(path.string(), "standard input"); !other.empty()) throw IoError(other);
  try {
    return is_archive(path.string()) ? read_archive(path.string(), "standard input", "") : load_npy(path);
  } catch (const IoError& error) {
    std::string message = error.what();
    const std::string name = "\"" + path.string() + "\"";
    const std::size_t at = message.find(name);
    if (at != std::string::npos) message.replace(at, name.size(), "standard input");
    throw IoError(message);
  }
}

}  // namespace

Operand read_operand(const std::string& text, bool in_place) {
  if (is_standard_stream(text)) return read_standard_input();
  if (const auto scalar = read_scalar(text)) return *scalar;
  std::error_code fault;
  if (is_archive(text)) return read_archive(text, fmt::format("\"{}\"", text), "");
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && is_archive(text.substr(0, colon)))
    return read_archive(text.substr(0, colon), "", text.substr(colon + 1));
  if (!std::filesystem::exists(text, fault) && !text.ends_with(".npy")) {
    throw IoError(
        fmt::format("operand \"{}\" is neither a number (3, 0x10, 2.5, -1e-3, true, 1+2j, nan, inf) nor a file "
                    "that is there",
                    text));
  }
  if (const std::string other = explain_input(text, text); !other.empty()) throw IoError(other);
  if (in_place) {
    try {
      return open_npy(text);
    } catch (const IoError&) {
      // Of another byte order, or no file that can be mapped: read, or refused with the reason, below.
    }
  }
  return load_npy(text);
}

}  // namespace kiln::tool

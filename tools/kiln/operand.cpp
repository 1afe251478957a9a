#include "operand.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "file_kind.hpp"
#include "kiln/error.hpp"
#include "kiln/npy.hpp"
#include "temporary_folder.hpp"

namespace kiln::tool {
namespace {

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
    return load_npy(path);
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
      // Of another byte order, or no file that can be mapped: read, or told what is wrong with it, below.
    }
  }
  return load_npy(text);
}

}  // namespace kiln::tool

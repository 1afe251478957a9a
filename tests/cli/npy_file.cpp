#include "npy_file.hpp"

#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "command.hpp"

namespace cli {
namespace {

/// What stands between `key` and the next of `ends`.
std::string value_of(std::string_view header, std::string_view key, std::string_view end) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) throw std::runtime_error("no " + std::string(key) + " in " + std::string(header));
  const std::size_t from = at + key.size();
  const std::size_t to = header.find(end, from);
  if (to == std::string_view::npos) throw std::runtime_error("no end of " + std::string(key));
  return std::string(header.substr(from, to - from));
}

}  // namespace

NpyFile parse_npy(const std::string& bytes) {
  if (!bytes.starts_with("\x93NUMPY\x01") || bytes.size() < 10) throw std::runtime_error("no .npy file of version 1");
  const std::size_t length = static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
  if (bytes.size() < 10 + length || (10 + length) % 64 != 0)
    throw std::runtime_error("a header that is not aligned, or is cut");
  const std::string header = bytes.substr(10, length);
  NpyFile file;
  file.descr = value_of(header, "'descr': '", "'");
  file.fortran = value_of(header, "'fortran_order': ", ",") == "True";
  file.shape = value_of(header, "'shape': (", ")");
  file.payload = bytes.substr(10 + length);
  return file;
}

NpyFile read_npy(const std::string& path) {
  return parse_npy(read_file(path));
}

}  // namespace cli

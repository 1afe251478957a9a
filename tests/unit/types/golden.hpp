// Reference results that the scripts in tests/golden wrote, and the small parsers for them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/shape.hpp"
#include "support/golden_texts.hpp"
#include "support/message.hpp"

namespace golden {

using kiln::test::message_of;

inline std::filesystem::path path(const std::string& name) {
  return std::filesystem::path(KILN_GOLDEN_DIR) / name;
}

inline std::string bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot open " + file.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Of a file of tests/golden, or of a text that is packed there.
inline std::vector<std::string> lines(const std::string& name) {
  std::vector<std::string> result;
  const bool packed = name.find('/') == std::string::npos;
  std::istringstream text(bytes(packed ? std::filesystem::path(kiln::test::golden_text(name)) : path(name)));
  for (std::string line; std::getline(text, line);) result.push_back(line);
  return result;
}

inline std::vector<std::string> words(const std::string& line, char separator = ' ') {
  std::vector<std::string> result;
  std::istringstream text(line);
  for (std::string word; std::getline(text, word, separator);) result.push_back(word);
  return result;
}

/// "2,3" or "-" for none.
inline kiln::Dims dims(const std::string& text) {
  kiln::Dims result;
  if (text == "-") return result;
  for (const std::string& word : words(text, ',')) result.push_back(std::stoll(word));
  return result;
}

/// "0aff" or "-" for none.
inline std::string from_hex(const std::string& text) {
  std::string result;
  if (text == "-") return result;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    result += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  }
  return result;
}

/// FNV-1a of everything added.
class Checksum {
 public:
  void add(std::string_view text) {
    for (const char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  [[nodiscard]] std::string hex() const {
    std::ostringstream text;
    text.width(16);
    text.fill('0');
    text << std::hex << state_;
    return text.str();
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

}  // namespace golden

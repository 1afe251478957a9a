#include "golden.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace conformance {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

}  // namespace

std::vector<std::int64_t> Golden::numbers(std::size_t field) const {
  std::vector<std::int64_t> values;
  if (fields.at(field) == "-") return values;
  std::istringstream words(fields.at(field));
  for (std::string word; std::getline(words, word, ',');) values.push_back(std::stoll(word));
  return values;
}

std::vector<Golden> golden(const std::string& file) {
  const std::string path = std::string(KILN_GOLDEN_DIR) + "/" + file;
  std::ifstream stream(path);
  std::vector<Golden> lines;
  for (std::string text; std::getline(stream, text);) {
    if (text.empty() || text[0] == '#') continue;
    Golden line{text, {}};
    std::istringstream words(text);
    for (std::string word; words >> word;) line.fields.push_back(word);
    lines.push_back(std::move(line));
  }
  if (lines.empty()) throw std::runtime_error("cannot read " + path);
  return lines;
}

std::vector<Golden> golden(const std::string& file, const Target& target) {
  std::vector<Golden> all = golden(file);
  if ((target.device().is_cpu() && !kSanitized) || std::getenv("KILN_TEST_BIG") != nullptr) return all;
  std::vector<Golden> some;
  for (std::size_t i = static_cast<std::size_t>(target.mode()); i < all.size(); i += 8) some.push_back(std::move(all[i]));
  return some;
}

}  // namespace conformance

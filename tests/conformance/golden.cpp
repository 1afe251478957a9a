#include "golden.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "kiln/error.hpp"
#include "support/golden_texts.hpp"

namespace conformance {
namespace {

std::vector<Golden> every(std::size_t step, std::size_t first, std::vector<Golden> all) {
  std::vector<Golden> some;
  for (std::size_t i = first; i < all.size(); i += step) some.push_back(std::move(all[i]));
  return some;
}

std::size_t number(const char* variable, std::size_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoul(text);
}

std::size_t mode_of(const Target& target) {
  return static_cast<std::size_t>(target.mode());
}

/// Makes all calls on the emulator, and half of them by AMD's code.
constexpr std::size_t kMoreInBigRuns = 16;

/// Which one of so many: runs with each make all of the calls.
std::size_t first() {
  return static_cast<std::size_t>(kiln::test::Sample::turn()) % one_in();
}

}  // namespace

std::size_t one_in() {
  const std::size_t asked = number("KILN_TEST_ONE_IN", 1);
  return std::max<std::size_t>(std::getenv("KILN_TEST_BIG") == nullptr ? asked : asked / kMoreInBigRuns, 1);
}

kiln::test::Sample sample_of_combinations() {
  return kiln::test::Sample(one_in() > 1 ? 3 : 1);
}

std::vector<std::int64_t> Golden::numbers(std::size_t field) const {
  std::vector<std::int64_t> values;
  if (fields.at(field) == "-") return values;
  std::istringstream words(fields.at(field));
  for (std::string word; std::getline(words, word, ',');) values.push_back(std::stoll(word));
  return values;
}

std::vector<std::int64_t> Golden::extents(std::size_t field) const {
  return fields.at(field) == "()" ? std::vector<std::int64_t>{} : numbers(field);
}

std::vector<Exact> values_in(const std::string& text) {
  std::vector<Exact> values;
  if (text == "-") return values;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    char* end = nullptr;
    const long double re = std::strtold(word.c_str(), &end);
    values.emplace_back(re, *end == ':' ? std::strtold(end + 1, nullptr) : 0.0L);
  }
  return values;
}

std::vector<Golden> golden(const std::string& file) {
  const std::string path = kiln::test::golden_text("conformance/" + file);
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
  return every(one_in(), (mode_of(target) + first()) % one_in(), golden(file));
}

std::vector<Golden> golden_in_turn(const std::string& file, const Target& target) {
  return every(kEveryMode.size() * one_in(), mode_of(target) + kEveryMode.size() * first(), golden(file));
}

bool is_refusal(const kiln::Error& error) {
  return dynamic_cast<const kiln::TypeError*>(&error) != nullptr || dynamic_cast<const kiln::ShapeError*>(&error) != nullptr;
}

bool is_refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const kiln::Error& error) {
    if (!is_refusal(error)) throw;
    return true;
  }
  return false;
}

}  // namespace conformance

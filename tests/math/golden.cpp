#include "golden.hpp"

#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "../support/golden_texts.hpp"
#include "numbers.hpp"

namespace math_tests {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, at);) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::vector<kiln::DType> dtypes_of(const std::string& text) {
  std::vector<kiln::DType> dtypes;
  if (text == "none") return dtypes;
  for (const std::string& word : split(text, ',')) dtypes.push_back(kiln::dtype_from_name(word));
  return dtypes;
}

Bits bits_of(std::istringstream& words) {
  Bits bits;
  for (std::string word; words >> word && word != ";";) {
    for (const std::string& part : split(word, ',')) bits.push_back(std::stoull(part, nullptr, 16));
  }
  return bits;
}

std::vector<std::string> lines_of(const std::string& file) {
  const std::string path = kiln::test::golden_text("math/" + file);
  std::ifstream stream(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  if (lines.empty()) throw std::runtime_error("cannot read " + path);
  return lines;
}

Case read_case(const std::string& line) {
  Case made;
  std::istringstream words(line);
  std::string inputs;
  std::string arrow;
  std::string outputs;
  std::string sets;
  words >> made.function >> inputs >> arrow >> outputs >> made.mode;
  if (made.mode != "exact") words >> made.tolerance;
  words >> sets >> arrow;
  made.inputs = dtypes_of(inputs);
  made.outputs = dtypes_of(outputs);
  made.sets = split(sets, ',');
  for (std::size_t i = 0; i < made.outputs.size(); ++i) made.results.push_back(bits_of(words));
  made.text = made.function + " " + inputs + " -> " + outputs;
  return made;
}

}  // namespace

const Values& values() {
  static const Values read = [] {
    Values all;
    for (const std::string& line : lines_of("values.txt")) {
      if (!line.starts_with("set ")) {
        all.cases.push_back(read_case(line));
        continue;
      }
      std::istringstream words(line.substr(4));
      std::string name;
      std::string dtype;
      words >> name >> dtype;
      const kiln::DType type = kiln::dtype_from_name(dtype);
      all.sets.emplace(name, InputSet{type, array_of(bits_of(words), type)});
    }
    return all;
  }();
  return read;
}

std::vector<Dtypes> dtypes() {
  std::vector<Dtypes> all;
  for (const std::string& line : lines_of("dtypes.txt")) {
    const std::vector<std::string> words = split(line, ' ');
    all.push_back({words.at(0), dtypes_of(words.at(1)), dtypes_of(words.at(3))});
  }
  return all;
}

}  // namespace math_tests

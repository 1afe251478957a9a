#include "base/environment.hpp"

#include <algorithm>
#include <atomic>
#include <functional>

#include "base/log.hpp"

namespace kiln::base {

Word env_word(const char* name, std::span<const std::string_view> words, std::string_view otherwise) {
  const std::string value = env(name).value_or("");
  if (value.empty()) return {};
  if (const auto known = std::ranges::find(words, value); known != words.end()) return {.value = *known};
  std::string line = std::string(name) + " is \"" + value + "\", which kiln does not know: it may be ";
  for (std::size_t i = 0; i < words.size(); ++i) {
    line += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    line += words[i];
  }
  line += "; " + std::string(otherwise);
  // Variables are read again and again; the same line is reported once.
  static std::atomic<std::size_t> reported{0};
  const std::size_t mark = std::hash<std::string>()(line) | 1;
  if (reported.exchange(mark) != mark) tell_line(line);
  return {.value = {}, .unknown = true};
}

}  // namespace kiln::base

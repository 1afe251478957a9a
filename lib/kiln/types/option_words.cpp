#include "types/option_words.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace kiln {
namespace {

// What messages name. Other words behind a dot are ends of files' names.
constexpr std::string_view kOfCalls[] = {"axes",    "axis",     "block",        "casting",       "chunk_bytes", "chunked",
                                         "device",  "devices",  "dtype",        "global_offset", "global_size", "grid",
                                         "initial", "keepdims", "lengths",      "norm",          "order",       "other_sizes",
                                         "out",     "s",        "shared_bytes", "signature",     "size",        "stop",
                                         "stream",  "targets",  "timeout",      "where"};
constexpr std::string_view kOfDefinitions[] = {
    "abi",         "accumulator", "backend",    "code",     "compile",      "constant_variants",
    "contract",    "debug",       "defines",    "each",     "fast_math",    "form",
    "functions",   "group",       "headers",    "identity", "include_dirs", "link",
    "map",         "name",        "parameters", "post",     "preamble",     "reduce",
    "reorderable", "same_bits",   "shared",     "sizes"};

constexpr std::string_view kNamespace = "kiln::";
constexpr std::string_view kFunctions[] = {"kiln::all_axes", "kiln::cupy::raw_kernel", "kiln::fuse", "kiln::kernel",
                                           "kiln::math",     "kiln::set_memory_limit", "kiln::warm"};
constexpr std::string_view kEnumerations[] = {"Casting", "DType"};

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view word_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(std::min(at, text.size()));
  return rest.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(rest, in_word) - rest.begin()));
}

bool is_option(std::string_view word) {
  return std::ranges::find(kOfCalls, word) != std::end(kOfCalls) ||
         std::ranges::find(kOfDefinitions, word) != std::end(kOfDefinitions);
}

/// Words with that between them: "compile.headers", "kiln::cupy::raw_kernel".
std::string_view path_at(std::string_view text, std::size_t begin, std::string_view between) {
  std::size_t end = begin + word_at(text, begin).size();
  while (text.substr(end).starts_with(between)) {
    const std::string_view next = word_at(text, end + between.size());
    if (next.empty()) break;
    end += between.size() + next.size();
  }
  return text.substr(begin, end - begin);
}

/// "Casting::unsafe", a value of one of the enumerations.
OptionWord enumerator_at(std::string_view text, std::size_t at) {
  const std::string_view enumeration = word_at(text, at);
  std::size_t end = at + enumeration.size();
  if (std::ranges::find(kEnumerations, enumeration) == std::end(kEnumerations) || !text.substr(end).starts_with("::"))
    return {};
  const std::string_view value = word_at(text, end + 2);
  end += 2 + value.size();
  return {.begin = at, .end = end, .name = std::string(enumeration), .value = std::string(value)};
}

/// ".out", ".sizes = ", ".casting = Casting::unsafe", ".compile = {.debug = {.on = true}}".
OptionWord option_at(std::string_view text, std::size_t at) {
  const std::string_view word = word_at(text, at + 1);
  if (!is_option(word)) return {};
  const std::string_view name = path_at(text, at + 1, ".");
  OptionWord found{.begin = at, .end = at + 1 + name.size(), .name = std::string(name), .value = {}};
  std::size_t depth = 0;
  while (text.substr(found.end).starts_with(" = ")) {
    found.end += 3;
    if (!text.substr(found.end).starts_with("{.")) {
      const OptionWord value = enumerator_at(text, found.end);
      found.value = value.name.empty() ? std::string(word_at(text, found.end)) : value.value;
      found.end = value.name.empty() ? found.end + found.value.size() : value.end;
      break;
    }
    const std::string_view member = word_at(text, found.end + 2);
    found.name += "." + std::string(member);
    found.end += 2 + member.size();
    ++depth;
  }
  for (; depth > 0 && text.substr(found.end).starts_with("}"); --depth) ++found.end;
  return found;
}

OptionWord word_at_place(std::string_view line, std::size_t at) {
  const std::string_view rest = line.substr(at);
  if (rest.starts_with(".")) return option_at(line, at);
  if (!rest.starts_with(kNamespace)) return enumerator_at(line, at);
  const std::string_view name = path_at(line, at, "::");
  if (std::ranges::find(kFunctions, name) == std::end(kFunctions)) return {};
  return {.begin = at, .end = at + name.size(), .name = std::string(name), .value = {}};
}

/// What stands in quotes is the user's.
void add_words(std::string_view line, std::size_t begin, std::vector<OptionWord>& found) {
  bool quoted = false;
  for (std::size_t at = 0; at < line.size();) {
    quoted ^= line[at] == '"';
    const bool begins = !quoted && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '(');
    OptionWord word = begins ? word_at_place(line, at) : OptionWord{};
    if (word.name.empty()) {
      ++at;
      continue;
    }
    at = word.end;
    word.begin += begin;
    word.end += begin;
    found.push_back(std::move(word));
  }
}

}  // namespace

std::vector<OptionWord> option_words(std::string_view message) {
  std::vector<OptionWord> found;
  for (std::size_t begin = 0; begin < message.size();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    const std::string_view line = message.substr(begin, end - begin);
    const auto has = [&](std::string_view words) { return line.find(words) != std::string_view::npos; };
    if (begin == 0 || has(": error: ") || has(": warning: ")) add_words(line, begin, found);
    begin = end + 1;
  }
  return found;
}

}  // namespace kiln

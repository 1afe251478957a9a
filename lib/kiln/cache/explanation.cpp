#include "cache/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace kiln::cache {
namespace {

constexpr std::size_t kShownLines = 3;
constexpr std::size_t kShownColumns = 160;
constexpr std::size_t kShortText = 100;

// Cut at a character, not inside one.
std::string cut(std::string_view line) {
  if (line.size() <= kShownColumns) return std::string(line);
  std::size_t end = kShownColumns;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80) --end;
  return std::string(line.substr(0, end)) + " …";
}

// The lines of a text from a place on, as many as are shown.
std::string lines_from(std::string_view text, std::size_t at, std::size_t number) {
  if (at >= text.size()) return fmt::format("(ends at line {})", number);
  std::string shown;
  for (std::size_t i = 0; i < kShownLines && at < text.size(); ++i) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    shown += fmt::format("{}{}: {}", shown.empty() ? "" : "\n", number + i, cut(text.substr(at, end - at)));
    at = end + 1;
  }
  return shown;
}

Difference of_texts(std::string field, std::string_view wanted, std::string_view found) {
  if (wanted.size() <= kShortText && found.size() <= kShortText && wanted.find('\n') == std::string_view::npos &&
      found.find('\n') == std::string_view::npos) {
    return {std::move(field), std::string(wanted), std::string(found)};
  }
  const auto [a, b] = std::mismatch(wanted.begin(), wanted.end(), found.begin(), found.end());
  const std::string_view common = wanted.substr(0, static_cast<std::size_t>(a - wanted.begin()));
  const std::size_t newline = common.rfind('\n');
  const std::size_t at = newline == std::string_view::npos ? 0 : newline + 1;
  const auto number = static_cast<std::size_t>(std::count(common.begin(), common.end(), '\n')) + 1;
  return {std::move(field), lines_from(wanted, at, number), lines_from(found, at, number)};
}

std::string joined(const std::vector<std::string>& items) {
  return fmt::format("{}", fmt::join(items, " "));
}

// Of lists, what only one of them has; all of both where they have the same in another order.
Difference of_lists(std::string field, const std::vector<std::string>& wanted, const std::vector<std::string>& found) {
  const auto without = [](const std::vector<std::string>& items, const std::vector<std::string>& others) {
    std::multiset<std::string> rest(others.begin(), others.end());
    std::vector<std::string> left;
    for (const std::string& item : items) {
      if (const auto same = rest.find(item); same != rest.end()) {
        rest.erase(same);
      } else {
        left.push_back(item);
      }
    }
    return left;
  };
  const auto only_wanted = without(wanted, found);
  const auto only_found = without(found, wanted);
  if (only_wanted.empty() && only_found.empty()) return {std::move(field), joined(wanted), joined(found)};
  return {std::move(field), joined(only_wanted), joined(only_found)};
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) list.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

}  // namespace

std::vector<Difference> differences(const Key& wanted, const Key& found) {
  std::vector<Difference> all;
  const auto texts = [&](const char* field, const std::string& a, const std::string& b) {
    if (a != b) all.push_back(of_texts(field, a, b));
  };
  const auto flags = [&](const char* field, bool a, bool b) {
    if (a != b) all.push_back({field, a ? "true" : "false", b ? "true" : "false"});
  };
  // A CPU's target is a list of fifty features.
  if (wanted.target != found.target) {
    const bool is_short = wanted.target.size() <= kShortText && found.target.size() <= kShortText;
    all.push_back(is_short ? of_texts("target", wanted.target, found.target)
                           : of_lists("target", words(wanted.target), words(found.target)));
  }
  texts("compiler", wanted.compiler, found.compiler);
  texts("kiln", wanted.kiln_version, found.kiln_version);
  texts("templates", wanted.templates, found.templates);
  texts("runtime", wanted.runtime, found.runtime);
  for (const ArithmeticFlag& flag : kArithmeticFlags) {
    flags(flag.name, wanted.arithmetic.*flag.member, found.arithmetic.*flag.member);
  }
  flags("debug", wanted.debug, found.debug);
  if (wanted.defines != found.defines) all.push_back(of_lists("defines", wanted.defines, found.defines));
  if (wanted.options != found.options) all.push_back(of_lists("options", wanted.options, found.options));
  if (wanted.link != found.link) all.push_back(of_lists("link", wanted.link, found.link));
  texts("source", wanted.source, found.source);
  for (const auto& [name, text] : wanted.headers) {
    const auto other = found.headers.find(name);
    if (other == found.headers.end()) {
      all.push_back({"headers/" + name, fmt::format("{} bytes", text.size()), "(none)"});
    } else if (other->second != text) {
      all.push_back(of_texts("headers/" + name, text, other->second));
    }
  }
  for (const auto& [name, text] : found.headers) {
    if (!wanted.headers.contains(name)) all.push_back({"headers/" + name, "(none)", fmt::format("{} bytes", text.size())});
  }
  return all;
}

std::string kernel_name_in(const std::string& source) {
  constexpr std::string_view kLine = "#line 1 \"";
  // The body's directive is the one behind the function that the body is of.
  const std::size_t body = source.find(" kiln_body(");
  const std::size_t line = source.find(kLine, body == std::string::npos ? 0 : body);
  if (line == std::string::npos) return {};
  std::string name;
  for (std::size_t i = line + kLine.size(); i < source.size() && source[i] != '"' && source[i] != '\n'; ++i) {
    if (source[i] == '\\' && i + 1 < source.size()) ++i;
    name += source[i];
  }
  return name;
}

}  // namespace kiln::cache

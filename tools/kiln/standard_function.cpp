#include "standard_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "usage_error.hpp"

namespace kiln::tool {
namespace {

/// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] == b[j - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return row.back();
}

/// The names that someone may have meant, the nearest first.
std::vector<std::string_view> near(std::string_view name) {
  std::vector<std::pair<std::size_t, std::string_view>> found;
  for (const math::FunctionInfo& info : math::functions()) {
    const bool part = name.size() > 2 && (info.name.find(name) != std::string_view::npos || name.find(info.name) == 0);
    const std::size_t apart = distance(name, info.name);
    if (apart <= 1 + name.size() / 4 || part) found.emplace_back(apart, info.name);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> names;
  for (const auto& [apart, one] : found) {
    if (names.size() < 3) names.push_back(one);
  }
  return names;
}

}  // namespace

bool is_function_name(std::string_view text) noexcept {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

const math::FunctionInfo& standard_function(std::string_view name) {
  if (const Ufunc* const ufunc = math::find(name)) {
    for (const math::FunctionInfo& info : math::functions()) {
      if (info.name == ufunc->name()) return info;
    }
  }
  const std::vector<std::string_view> names = near(name);
  throw UsageError(fmt::format("there is no function \"{}\"{}; 'kiln functions' lists them", name,
                               names.empty() ? "" : fmt::format(": did you mean {}?", fmt::join(names, ", "))));
}

}  // namespace kiln::tool

#include "standard_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "usage.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

/// The names that someone may have meant, the nearest first: a few that are near, else the one that has at least half of the
/// letters.
std::vector<std::string_view> near(std::string_view name) {
  std::vector<std::pair<std::size_t, std::string_view>> found;
  std::pair<std::size_t, std::string_view> nearest{name.size() / 2 + 1, ""};
  for (const math::FunctionInfo& info : math::functions()) {
    const bool part = name.size() > 2 && (info.name.find(name) != std::string_view::npos || name.find(info.name) == 0);
    const std::size_t apart = edit_distance(name, info.name);
    if (apart <= 1 + name.size() / 4 || part) found.emplace_back(apart, info.name);
    if (apart < nearest.first) nearest = {apart, info.name};
  }
  if (found.empty() && !nearest.second.empty()) found.push_back(nearest);
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

#include "base/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace kiln::base {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view unknown, std::span<const std::string_view> known) {
  constexpr std::size_t kLongest = 32;  // longer than that is no misspelling
  if (unknown.empty() || unknown.size() > kLongest) return {};
  std::string lower(unknown);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::string_view best;
  std::size_t best_distance = 4;  // three slips at most, and fewer than half of the letters
  for (const std::string_view word : known) {
    const std::size_t distance = edit_distance(lower, word);
    if (distance < best_distance && 2 * distance < word.size()) {
      best_distance = distance;
      best = word;
    }
  }
  return best;
}

}  // namespace kiln::base

#include "table.hpp"

#include <algorithm>
#include <utility>

namespace kiln::tool {
namespace {

constexpr std::size_t kGap = 2;

}  // namespace

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(std::size_t limit) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(columns(columns_[i].title));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], columns(row[i]));
  }
  if (limit == 0) return widths;
  const auto total = [&] {
    std::size_t sum = kGap * (widths.size() - 1);
    for (const std::size_t width : widths) sum += width;
    return sum;
  };
  while (total() > limit) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool may_shrink = columns_[i].least > 0 && widths[i] > columns_[i].least;
      if (may_shrink && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) break;
    --widths[widest];
  }
  return widths;
}

std::string Table::text(const Terminal& terminal) const {
  const std::vector<std::size_t> width = widths(terminal.width);
  std::string out;
  const auto line = [&](const auto& cell_of, const auto& style_of) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = cut(cell_of(i), width[i]);
      const std::string space(width[i] - std::min(width[i], columns(cell)), ' ');
      if (i > 0) text.append(kGap, ' ');
      if (columns_[i].right) text += space;
      text += style_of(i) == Style::heading && &cell_of(i) != &columns_[i].title ? cell : terminal.styled(cell, style_of(i));
      if (!columns_[i].right && i + 1 < columns_.size()) text += space;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  line([&](std::size_t i) -> const std::string& { return columns_[i].title; }, [](std::size_t) { return Style::heading; });
  for (const auto& row : rows_) {
    line([&](std::size_t i) -> const std::string& { return row[i]; }, [&](std::size_t i) { return columns_[i].style; });
  }
  return out;
}

}  // namespace kiln::tool

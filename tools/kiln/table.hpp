// Rows in columns that line up, cut to a terminal's width.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "terminal.hpp"

namespace kiln::tool {

class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;            ///< numbers
    std::size_t least = 0;         ///< the width down to which it may be cut; 0: it may not
    Style style = Style::heading;  ///< of its cells; heading means none
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many cells as columns; made printable here.
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  /// Title and rows, a line each. The widest of the columns that may be cut lose the most; what is cut ends in '…'.
  [[nodiscard]] std::string text(const Terminal& terminal) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths(std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace kiln::tool

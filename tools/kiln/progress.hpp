// How far a long job is: a bar on a terminal, a line for each step elsewhere. On standard error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kiln::tool {

class Progress {
 public:
  enum class Style { none, lines, bar };

  /// A bar where standard error is a terminal that can move its cursor (TERM is not "dumb").
  [[nodiscard]] static Style style_of_terminal();

  Progress(Style style, std::size_t total) : style_(style), total_(total) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One step is done. `line` stands for it where there is no bar, `label` beside the bar.
  void advance(std::string_view line, std::string_view label) { advance_to(done_ + 1, line, label); }
  /// How many steps there are turns out later.
  void set_total(std::size_t total) noexcept { total_ = total; }
  /// So many steps are done.
  void advance_to(std::size_t done, std::string_view line, std::string_view label);
  /// Takes the bar away, so that other text can be written; the next step brings it back.
  void clear();

 private:
  Style style_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool shown_ = false;
};

}  // namespace kiln::tool

#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output.hpp"
#include "terminal.hpp"

namespace kiln::tool {

Progress::Style Progress::style_of_terminal() {
  return Terminal::standard_error().cursor ? Style::bar : Style::lines;
}

void Progress::advance_to(std::size_t done, std::string_view line, std::string_view label) {
  done_ = done;
  if (style_ == Style::none) return;
  const std::string count = fmt::format("{}/{}", done_, total_);
  if (style_ == Style::lines) {
    say(fmt::format("[{}] {}\n", count, printable(line)));
    return;
  }
  constexpr std::size_t kWidth = 24;
  const std::size_t filled = total_ == 0 ? kWidth : std::min(kWidth, kWidth * done_ / total_);
  const std::size_t taken = kWidth + count.size() + 5;
  const Terminal terminal = Terminal::standard_error();
  // The last column stays free: some terminals go to the next line there.
  const std::string beside = terminal.width > taken ? cut(printable(label), terminal.width - taken) : "";
  say(fmt::format("\r[{}{}] {} {}\x1b[K", terminal.styled(std::string(filled, '#'), tool::Style::good),
                  std::string(kWidth - filled, '.'), count, beside));
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  say("\r\x1b[K");
  shown_ = false;
}

}  // namespace kiln::tool

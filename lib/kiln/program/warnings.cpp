#include "program/warnings.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/utf8.hpp"

namespace kiln::program {

void Warnings::add(std::span<const Diagnostic> found) {
  std::vector<Diagnostic> fresh;
  {
    const std::lock_guard lock(mutex_);
    for (const Diagnostic& warning : found) {
      if (std::ranges::find(all_, warning) != all_.end()) continue;
      all_.push_back(warning);
      fresh.push_back(warning);
    }
  }
  for (const Diagnostic& warning : fresh) {
    std::string line = warning.file + ":";
    if (warning.line > 0) line += std::to_string(warning.line) + ":" + std::to_string(warning.column) + ":";
    base::log_line(base::printable(line + " " + warning.text));
  }
}

std::vector<Diagnostic> Warnings::all() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

}  // namespace kiln::program

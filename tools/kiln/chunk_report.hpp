// How far a chunked call is, as people read it: "37 of 80, 1.2 GiB, 5.1 GB/s, 3.2 s left".
#pragma once

#include <string>

#include "kiln/chunked.hpp"
#include "progress.hpp"

namespace kiln::tool {

/// "1.2 GiB of 4.0 GiB, 5.1 GB/s, 3.2 s left"; at the end "4.0 GiB, 5.1 GB/s, 0.8 s".
[[nodiscard]] std::string chunk_text(const ChunkProgress& now);

/// A bar on a terminal, elsewhere a line whenever a tenth more is done.
class ChunkReport {
 public:
  explicit ChunkReport(bool shown) : style_(shown ? Progress::style_of_terminal() : Progress::Style::none), bar_(style_, 0) {}
  void show(const ChunkProgress& now);
  /// Takes the bar away.
  void clear() { bar_.clear(); }

 private:
  Progress::Style style_;
  Progress bar_;
  std::int64_t tenths_ = 0;
};

}  // namespace kiln::tool

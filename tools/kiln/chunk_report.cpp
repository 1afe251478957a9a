#include "chunk_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "units.hpp"

namespace kiln::tool {

std::string chunk_text(const ChunkProgress& now) {
  const auto done = static_cast<double>(now.bytes_done);
  const double rate = now.seconds > 0 ? done / now.seconds : 0;
  const std::string speed = fmt::format("{:.1f} GB/s", rate / 1e9);
  const auto bytes = static_cast<std::uint64_t>(now.bytes);
  if (now.done == now.chunks) {
    return fmt::format("{}, {}, {}", bytes_text(bytes), speed, milliseconds_text(1e3 * now.seconds));
  }
  const double left = rate > 0 ? (static_cast<double>(now.bytes) - done) / rate : 0;
  return fmt::format("{} of {}, {}, {} left", bytes_text(static_cast<std::uint64_t>(now.bytes_done)), bytes_text(bytes), speed,
                     milliseconds_text(1e3 * left));
}

void ChunkReport::show(const ChunkProgress& now) {
  const std::int64_t tenths = 10 * now.done / std::max<std::int64_t>(now.chunks, 1);
  if (style_ == Progress::Style::lines && tenths == tenths_) return;
  tenths_ = tenths;
  const std::string text = chunk_text(now);
  bar_.set_total(static_cast<std::size_t>(now.chunks));
  bar_.advance_to(static_cast<std::size_t>(now.done), text, text);
}

}  // namespace kiln::tool

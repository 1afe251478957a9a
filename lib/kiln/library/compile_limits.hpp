// How long and how large a compile may become: a text of a few lines can stand for one without an end.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace kiln::backend {

/// Zero: none.
struct CompileLimits {
  std::chrono::milliseconds time{std::chrono::minutes(2)};  ///< of the processor's time
  std::uint64_t memory = std::uint64_t{2} << 30;            ///< bytes beyond what the compiler has in use
};

/// From the texts of the two variables; `complaint` gets a line for one that is no limit, and the default holds.
[[nodiscard]] CompileLimits parse_compile_limits(const std::optional<std::string>& seconds,
                                                 const std::optional<std::string>& bytes, std::string& complaint);

/// The process's: KILN_COMPILE_SECONDS and KILN_COMPILE_MAX_BYTES, read once.
[[nodiscard]] const CompileLimits& compile_limits();

}  // namespace kiln::backend

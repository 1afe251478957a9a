#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kiln::base {

/// A number of bytes: "1000000", "512K", "100M", "2G" (powers of 1024). Nothing for any other text.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(const std::string& text);

}  // namespace kiln::base

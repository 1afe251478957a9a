// The report of a compiler about machine code that it made.
#pragma once

#include <cstdint>
#include <optional>

#include "kiln/diagnostic.hpp"

namespace kiln {

/// A compiler's report about machine code. Absent members are unknown. inspect::Resources describes the members.
struct CompileReport {
  std::optional<std::int64_t> vector_bits = std::nullopt;
  std::optional<std::int64_t> spills = std::nullopt;
  std::optional<std::int64_t> local_bytes = std::nullopt;
  std::optional<Diagnostic> scalar_because = std::nullopt;
};

}  // namespace kiln

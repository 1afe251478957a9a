// Ranks of a parallel job: who this process is, as the launcher of MPI says it in variables, and which part of the work is its.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kiln::tool {

struct RankPlace {
  int rank = 0;
  int size = 1;
  std::string job;  ///< the same for the ranks of a job, another one for each job
};

/// The place of this process among several; nothing where it is alone. `asked` is what --ranks was given: "" for what the
/// launcher says, "none", or "1/4". UsageError for other texts.
[[nodiscard]] std::optional<RankPlace> rank_place(std::string_view asked,
                                                  const std::function<const char*(const char*)>& variable);

/// A range of rows: those of a rank, nearly as many for each.
struct Rows {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
[[nodiscard]] Rows rows_of(const RankPlace& place, std::int64_t rows);

}  // namespace kiln::tool

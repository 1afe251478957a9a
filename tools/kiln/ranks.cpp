#include "ranks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "usage_error.hpp"

namespace kiln::tool {
namespace {

struct Launcher {
  const char* rank;
  const char* size;
};
// Open MPI, MVAPICH, and what speaks PMI: MPICH, Intel MPI, srun.
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}};
constexpr const char* kJobs[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID"};

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

/// As a part of a file's name.
std::string as_name(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '/' || c == '\0'; }, '_');
  return text.substr(0, 100);
}

std::string job_of(const std::function<const char*(const char*)>& variable) {
  for (const char* const name : kJobs) {
    if (const char* const value = variable(name)) {
      const char* const step = variable("SLURM_STEP_ID");
      return as_name(step != nullptr ? fmt::format("{}.{}", value, step) : value);
    }
  }
  // The launcher's helper on this machine.
  return std::to_string(getppid());
}

}  // namespace

std::optional<RankPlace> rank_place(std::string_view asked, const std::function<const char*(const char*)>& variable) {
  if (asked == "none") return std::nullopt;
  RankPlace place;
  if (!asked.empty()) {
    const std::size_t slash = asked.find('/');
    const auto rank = number(asked.substr(0, slash));
    const auto size = slash == std::string_view::npos ? std::nullopt : number(asked.substr(slash + 1));
    if (!rank || !size || *rank >= *size) {
      throw UsageError(fmt::format("--ranks \"{}\": give none, or a rank and the number of ranks, such as 0/4 to 3/4", asked));
    }
    place = {.rank = *rank, .size = *size, .job = "ranks"};
  }
  for (const Launcher& launcher : kLaunchers) {
    if (!place.job.empty()) break;
    const char* const rank = variable(launcher.rank);
    const char* const size = variable(launcher.size);
    if (rank == nullptr || size == nullptr) continue;
    const auto of_rank = number(rank);
    const auto of_size = number(size);
    if (of_rank && of_size && *of_rank < *of_size) place = {.rank = *of_rank, .size = *of_size, .job = job_of(variable)};
  }
  return place.size > 1 ? std::optional(place) : std::nullopt;
}

Rows rows_of(const RankPlace& place, std::int64_t rows) {
  const std::int64_t each = rows / place.size;
  const std::int64_t more = rows % place.size;
  const auto begin_of = [&](std::int64_t rank) { return rank * each + std::min(rank, more); };
  return {begin_of(place.rank), begin_of(place.rank + 1)};
}

}  // namespace kiln::tool

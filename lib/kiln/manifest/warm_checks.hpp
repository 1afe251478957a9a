// What every rank of warm() finds wrong with the messages of all, in the same words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "manifest/warm_messages.hpp"

namespace kiln::manifest {

/// Throws RankError: "kiln::warm: rank 3 of 8: …".
[[noreturn]] void fail_rank(std::size_t rank, int size, const std::string& text);

/// The payloads of the messages of all ranks in a step. Throws RankError for what a rank reports, and for what is no message of
/// that step.
[[nodiscard]] std::vector<std::string> open_messages(const std::vector<std::string>& messages, int step, int own_rank,
                                                     int size);

/// Throws RankError where a rank's call has other arguments than that of rank 0.
void check_calls(const std::vector<WarmCall>& calls);

}  // namespace kiln::manifest

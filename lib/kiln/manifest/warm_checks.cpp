#include "manifest/warm_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/hash.hpp"
#include "kiln/warm.hpp"

namespace kiln::manifest {
namespace {

std::string listed(std::string lines) {
  std::ranges::replace(lines, '\n', ',');
  return lines.empty() ? "none" : lines;
}

}  // namespace

void fail_rank(std::size_t rank, int size, const std::string& text) {
  throw RankError(static_cast<int>(rank), fmt::format("kiln::warm: rank {} of {}: {}", rank, size, text));
}

std::vector<std::string> open_messages(const std::vector<std::string>& messages, int step, int own_rank, int size) {
  if (messages.size() != static_cast<std::size_t>(size)) {
    throw TypeError(fmt::format("kiln::warm: {} messages of {} ranks", messages.size(), size));
  }
  std::vector<WarmMessage> opened;
  for (std::size_t rank = 0; rank < messages.size(); ++rank) {
    std::string other;
    auto message = decode_message(messages[rank], &other);
    if (!message) {
      fail_rank(rank, size,
                other.empty() ? "its message is damaged"
                              : fmt::format("calls do not match: it called {}, and rank {} {}", other, own_rank, kWarmName));
    }
    opened.push_back(*std::move(message));
  }
  std::vector<std::size_t> failed;
  std::vector<std::string> payloads;
  for (std::size_t rank = 0; rank < opened.size(); ++rank) {
    if (!opened[rank].error.empty()) failed.push_back(rank);
    if (opened[rank].step != step) fail_rank(rank, size, "its message belongs to another step: calls do not match");
    payloads.push_back(std::move(opened[rank].payload));
  }
  if (!failed.empty()) {
    constexpr std::size_t kShown = 10;
    std::string text = opened[failed.front()].error;
    if (failed.size() > 1) {
      const std::vector<std::size_t> others(failed.begin() + 1,
                                            failed.begin() + static_cast<std::ptrdiff_t>(std::min(failed.size(), kShown)));
      text += fmt::format("\nand so did rank{} {}{}", failed.size() > 2 ? "s" : "", fmt::join(others, ", "),
                          failed.size() > kShown ? ", …" : "");
    }
    fail_rank(failed.front(), size, text);
  }
  return payloads;
}

void check_calls(const std::vector<WarmCall>& calls) {
  const auto check = [&](std::size_t rank, std::size_t from, const char* what, const std::string& its,
                         const std::string& other) {
    if (its == other) return;
    fail_rank(rank, static_cast<int>(calls.size()),
              fmt::format("calls do not match: its {} {}, and of rank {} {}", what, its, from, other));
  };
  const auto milliseconds = [](std::int64_t ms) { return fmt::format("{} ms", ms); };
  const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
  std::optional<std::size_t> first;  // with a manifest
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    const WarmCall& call = calls[rank];
    const WarmCall& zero = calls.front();
    check(rank, 0, ".targets are", listed(call.targets), listed(zero.targets));
    check(rank, 0, ".other_sizes is", flag(call.other_sizes), flag(zero.other_sizes));
    check(rank, 0, ".timeout is", milliseconds(call.timeout_ms), milliseconds(zero.timeout_ms));
    if (call.empty) continue;
    if (!first) first = rank;
    check(rank, *first, "manifest has the hash", base::to_hex(call.manifest), base::to_hex(calls[*first].manifest));
  }
}

}  // namespace kiln::manifest

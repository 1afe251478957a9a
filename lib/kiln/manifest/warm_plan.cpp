#include "manifest/warm_plan.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

namespace kiln::manifest {
namespace {

/// What is known of a kernel.
struct Demand {
  std::vector<int> wanted_by;
  std::vector<int> held_by;
  std::vector<int> compilable_by;
};

/// The rank of `candidates` with the smallest load for each slot, the first of equals.
int least_loaded(const std::vector<int>& candidates, const std::vector<std::size_t>& load, const std::vector<int>& slots) {
  int best = -1;
  for (const int rank : candidates) {
    const auto i = static_cast<std::size_t>(rank);
    if (best < 0) {
      best = rank;
      continue;
    }
    const auto b = static_cast<std::size_t>(best);
    const auto slots_of = [&](std::size_t which) { return static_cast<std::size_t>(slots[which]); };
    // (load + 1) / slots as fractions; one without slots is behind all others.
    if ((slots[i] > 0) != (slots[b] > 0)
            ? slots[i] > 0
            : (load[i] + 1) * std::max<std::size_t>(slots_of(b), 1) < (load[b] + 1) * std::max<std::size_t>(slots_of(i), 1)) {
      best = rank;
    }
  }
  return best;
}

}  // namespace

std::vector<int> compile_slots(const std::vector<WarmCall>& ranks) {
  std::vector<int> slots(ranks.size(), 0);
  std::map<base::Hash128, std::vector<std::size_t>> by_host;
  for (std::size_t i = 0; i < ranks.size(); ++i) by_host[ranks[i].host].push_back(i);
  std::vector<int> usable;
  for (const WarmCall& rank : ranks) {
    int count = 0;
    for (const std::uint8_t byte : rank.processors) count += std::popcount(byte);
    usable.push_back(count);
  }
  for (const auto& [host, members] : by_host) {
    std::size_t processors = 0;
    for (const std::size_t i : members) processors = std::max(processors, ranks[i].processors.size() * 8);
    for (std::size_t processor = 0; processor < processors; ++processor) {
      const std::size_t* best = nullptr;
      for (const std::size_t& i : members) {
        const auto& own = ranks[i].processors;
        if (ranks[i].empty || processor >= own.size() * 8 || !bit(own, processor)) continue;
        // Of equals, one with few processors: others find more.
        if (best == nullptr || std::pair(slots[i], usable[i]) < std::pair(slots[*best], usable[*best])) best = &i;
      }
      if (best != nullptr) ++slots[*best];
    }
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].jobs > 0) slots[i] = ranks[i].jobs;
  }
  return slots;
}

std::vector<bool> listing_ranks(const std::vector<WarmCall>& ranks, const std::vector<int>& slots) {
  std::vector<bool> listing(ranks.size(), false);
  std::set<base::Hash128> known;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].empty) continue;
    const bool first = known.insert(ranks[i].environment).second;
    listing[i] = first || slots[i] > 0;
  }
  return listing;
}

std::vector<WarmTask> plan_warming(const std::vector<WarmHoldings>& ranks, const std::vector<int>& slots) {
  std::map<base::Hash128, Demand> demands;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::vector<base::Hash128>& digests = *ranks[rank].digests;
    for (std::size_t i = 0; i < digests.size(); ++i) {
      Demand& demand = demands[digests[i]];
      demand.wanted_by.push_back(static_cast<int>(rank));
      if (ranks[rank].can_compile) demand.compilable_by.push_back(static_cast<int>(rank));
      if (bit(*ranks[rank].found, i)) demand.held_by.push_back(static_cast<int>(rank));
    }
  }
  std::vector<WarmTask> tasks;
  std::vector<std::size_t> compiles(ranks.size(), 0);
  std::vector<std::size_t> sends(ranks.size(), 0);
  const std::vector<int> alike(ranks.size(), 1);
  for (const auto& [digest, demand] : demands) {
    WarmTask task{.digest = digest};
    std::set<int> having;
    for (const int rank : demand.held_by) having.insert(ranks[static_cast<std::size_t>(rank)].place);
    if (demand.held_by.empty() && !demand.compilable_by.empty()) {
      task.compiler = least_loaded(demand.compilable_by, compiles, slots);
      ++compiles[static_cast<std::size_t>(task.compiler)];
      having.insert(ranks[static_cast<std::size_t>(task.compiler)].place);
    }
    const bool all_have = std::ranges::all_of(
        demand.wanted_by, [&](int rank) { return having.contains(ranks[static_cast<std::size_t>(rank)].place); });
    if (!all_have && task.compiler >= 0) task.sender = task.compiler;
    if (!all_have && task.compiler < 0 && !demand.held_by.empty()) {
      task.sender = least_loaded(demand.held_by, sends, alike);
      ++sends[static_cast<std::size_t>(task.sender)];
    }
    tasks.push_back(task);
  }
  return tasks;
}

}  // namespace kiln::manifest

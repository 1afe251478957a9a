// Which threads of a block on the CPU go on: those whose warp waits for nobody else, before those at a barrier of the block.
#pragma once
#include "kiln/raw/shared_cpu.hpp"

namespace kiln::loops {

constexpr uint32 kMostThreads = 1024;  // of a block that waits (lib/kiln/kernel/raw/launch.hpp)

// Neighbours that are computed at once.
struct waiting_group {
  waiting_threads* threads;
  uint32 first;  // number in the block
  uint32 count;
};

// The warps of one block. waits[t] is not 0 where the thread t waits for its warp's lanes of that mask.
class warps_of_block {
 public:
  uint32 waits[kMostThreads] = {};
  uint32 asks[kMostThreads] = {};

  void add(void* returned, uint32 first, uint32 end) {
    auto* const threads = static_cast<waiting_threads*>(returned);
    if (threads == nullptr || threads->resume == nullptr) return;
    groups_[count_++] = {threads, first, end - first};
  }

  // To the end of all.
  void resume() {
    while (count_ > 0) {
      // First those that nobody keeps; then those that ask who is at their place, as nobody else comes there; a lane that left
      // its group's way early may never come; and of masks that no valid kernel has no lane waits for ever.
      if (!resume_those([this](const waiting_group& group) { return !asks_for_lanes(group) && is_free(group, false); }) &&
          !(answer() && resume_those([this](const waiting_group& group) { return asks_for_lanes(group); })) &&
          !resume_those([this](const waiting_group& group) { return is_free(group, true); }) &&
          !resume_those([this](const waiting_group& group) { return !waits_for_warp(group); })) {
        resume_those([](const waiting_group&) { return true; });
      }
    }
  }

 private:
  bool waits_for_warp(const waiting_group& group) const {
    for (uint32 t = group.first; t < group.first + group.count; ++t) {
      if (waits[t] != 0) return true;
    }
    return false;
  }

  bool asks_for_lanes(const waiting_group& group) const {
    for (uint32 t = group.first; t < group.first + group.count; ++t) {
      if (asks[t] != 0) return true;
    }
    return false;
  }

  // In the place of each question its answer: all who ask go on.
  bool answer() {
    uint32 answers[kMostThreads];
    bool any = false;
    for (uint32 g = 0; g < count_; ++g) {
      for (uint32 t = groups_[g].first; t < groups_[g].first + groups_[g].count; ++t) {
        answers[t] = 0;
        if (asks[t] == 0) continue;
        any = true;
        for (uint32 lane = 0; lane < 32; ++lane) answers[t] |= uint32(asks[t / 32 * 32 + lane] == asks[t]) << lane;
      }
    }
    for (uint32 g = 0; any && g < count_; ++g) {
      for (uint32 t = groups_[g].first; t < groups_[g].first + groups_[g].count; ++t) asks[t] = answers[t];
    }
    return any;
  }

  bool is_free(const waiting_group& group, bool only_waiting) const {
    if (!waits_for_warp(group)) return false;
    for (uint32 t = group.first; t < group.first + group.count; ++t) {
      if (waits[t] == 0) continue;
      const uint32 pending = (only_waiting ? waiting_lanes_ : pending_lanes_)[t / 32] & waits[t];
      for (uint32 lane = 0; lane < 32; ++lane) {
        if ((pending >> lane & 1) != 0 && waits[t / 32 * 32 + lane] != waits[t]) return false;
      }
    }
    return true;
  }

  // Whether there were any.
  template <class Which>
  bool resume_those(const Which& which) {
    for (uint32 warp = 0; warp < kMostThreads / 32; ++warp) {
      pending_lanes_[warp] = waiting_lanes_[warp] = 0;
    }
    for (uint32 g = 0; g < count_; ++g) {
      const waiting_group& group = groups_[g];
      if (!waits_for_warp(group)) continue;
      for (uint32 t = group.first; t < group.first + group.count; ++t) {
        pending_lanes_[t / 32] |= 1u << t % 32;
        if (waits[t] != 0) waiting_lanes_[t / 32] |= 1u << t % 32;
      }
    }
    bool any = false;
    for (uint32 g = 0; g < count_; ++g) any = (goes_on_[g] = which(groups_[g])) || any;
    if (!any) return false;
    uint32 left = 0;
    for (uint32 g = 0; g < count_; ++g) {
      const waiting_group group = groups_[g];
      if (goes_on_[g]) {
        for (uint32 t = group.first; t < group.first + group.count; ++t) waits[t] = 0;
        group.threads->resume(group.threads);
        if (group.threads->resume == nullptr) continue;
      }
      groups_[left++] = group;
    }
    count_ = left;
    return true;
  }

  waiting_group groups_[kMostThreads];
  bool goes_on_[kMostThreads];
  // Lanes of each warp that go on before a barrier of the block; of these those that wait.
  uint32 pending_lanes_[kMostThreads / 32];
  uint32 waiting_lanes_[kMostThreads / 32];
  uint32 count_ = 0;
};

struct row_of_warps : row_of_threads {
  uint32* waits;
  uint32* asks;
};

template <class Threads>
KILN_FN void each_block_of_warps(const kinds::CpuRawLaunch* launch, int64 begin, int64 end, const Threads& threads) {
  warps_of_block waiting;
  row_of_warps row;
  row.waits = waiting.waits;
  row.asks = waiting.asks;
  each_waiting_block(launch, begin, end, row, waiting, threads);
}

}  // namespace kiln::loops

// What threads of a block keep on the CPU while they wait for one another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/kernel_abi.hpp"
#include "kernels-src/core/waiting.hpp"

namespace kiln::kinds {

/// Memory in cache lines.
struct alignas(64) CacheLine {
  std::byte bytes[64];
};
[[nodiscard]] inline std::size_t lines_of(std::int64_t bytes) {
  return (static_cast<std::size_t>(bytes) + sizeof(CacheLine) - 1) / sizeof(CacheLine);
}

/// Memory for the threads of one block at a time, kept for the next block. It makes some when a thread first waits.
class BlockFrames : public CpuWaiting {
 public:
  BlockFrames()
      : CpuWaiting{
            .owner = this,
            .new_frame = [](void* frames, std::int64_t bytes) { return static_cast<BlockFrames*>(frames)->frame(bytes); },
            .begin_block = [](void* frames) { static_cast<BlockFrames*>(frames)->used_ = 0; }} {}
  BlockFrames(const BlockFrames&) = delete;
  BlockFrames& operator=(const BlockFrames&) = delete;

 private:
  /// All are of one size.
  void* frame(std::int64_t bytes) {
    if (used_ == frames_.size()) frames_.emplace_back(lines_of(bytes));
    return frames_[used_++].data();
  }

  std::vector<std::vector<CacheLine>> frames_;
  std::size_t used_ = 0;
};

}  // namespace kiln::kinds

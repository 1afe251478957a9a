#include "kinds/block_frames.hpp"

#include <fmt/format.h>

#include <new>

#include "kiln/error.hpp"

namespace kiln::kinds {

BlockFrames::BlockFrames()
    : CpuWaiting{.owner = this,
                 .new_frame = [](void* frames, std::int64_t bytes) { return static_cast<BlockFrames*>(frames)->frame(bytes); },
                 .begin_block = [](void* frames) { static_cast<BlockFrames*>(frames)->used_ = 0; }} {}

void BlockFrames::run(base::FunctionRef<void()> code) {
  // No exception passes through a kernel, which has no tables for it, and nothing in its functions to destroy.
  if (setjmp(no_memory_) == 0) return code();
  throw DeviceError(fmt::format(
      "no memory for what the threads of a block keep while they wait at a barrier(): {} bytes more than {} times as "
      "many; keep fewer variables across barriers, or give a smaller .block",
      refused_, used_));
}

void* BlockFrames::frame(std::int64_t bytes) {
  if (used_ == frames_.size()) {
    try {
      frames_.push_back(std::make_unique_for_overwrite<CacheLine[]>(lines_of(bytes)));
    } catch (const std::bad_alloc&) {
      refused_ = bytes;
    }
    if (refused_ != 0) std::longjmp(no_memory_, 1);
  }
  return frames_[used_++].get();
}

}  // namespace kiln::kinds

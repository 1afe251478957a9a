#include "kernel/block_frames.hpp"

#include <fmt/format.h>

#include <new>

#include "kiln/error.hpp"

namespace kiln::kinds {

BlockFrames::BlockFrames(bool fenced)
    : CpuWaiting{.owner = this,
                 .new_frame = [](void* frames, std::int64_t bytes) { return static_cast<BlockFrames*>(frames)->frame(bytes); },
                 .begin_block = [](void* frames) { static_cast<BlockFrames*>(frames)->used_ = 0; }},
      fenced_(fenced) {}

void BlockFrames::run(base::FunctionRef<void()> code) {
  // No exception passes through a kernel, which has no tables for it, and nothing in its functions to destroy.
  if (setjmp(no_memory_) == 0) return code();
  throw DeviceError(fmt::format(
      "no memory for what the threads of a block keep while they wait at a barrier(): {} bytes more than {} times as "
      "many; keep fewer variables across barriers, or give a smaller .block",
      refused_, used_));
}

/// Makes the stack grow as far as an exception of no memory wants it: then there is none left for that.
[[gnu::noinline]] static void grow_stack() noexcept {
  char room[16384];
  room[0] = 0;
  asm volatile("" : : "r"(room) : "memory");
}

void* BlockFrames::frame(std::int64_t bytes) {
  grow_stack();
  void* made = nullptr;
  try {
    made = make_frame(lines_of(bytes));
  } catch (const std::bad_alloc&) {
    refused_ = bytes;
  }
  if (made == nullptr) std::longjmp(no_memory_, 1);
  ++used_;
  return made;
}

void* BlockFrames::make_frame(std::size_t lines) {
  if (fenced_) {
    constexpr std::size_t kMostFrames = 1024;  // threads of a block that wait
    if (fence_.data() == nullptr) fence_ = FencedMemory(kMostFrames * lines * sizeof(CacheLine));
    return fence_.data() + used_ * lines * sizeof(CacheLine);
  }
  if (used_ == frames_.size()) frames_.push_back(std::make_unique_for_overwrite<CacheLine[]>(lines));
  return frames_[used_].get();
}

}  // namespace kiln::kinds

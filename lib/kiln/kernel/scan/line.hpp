// One running result along one axis.
//
// A line is cut by its length alone: into chunks of eight blocks, blocks of 64 segments, segments of up to 32 elements. The
// segments of a block are adjacent in the lanes of vectors, each with its own running results; then each is joined with
// what runs before it: join(join(chunk's, segment's), element's).
#pragma once

#include <cstdint>
#include <vector>

#include "device/cpu/threads.hpp"
#include "kernel/scan/strip.hpp"
#include "kernels-src/scan/abi.hpp"

namespace kiln::kinds {

/// Shorter lines have no segments worth the name.
inline constexpr std::int64_t kShortestLine = 512;

class ScanLine {
 public:
  /// Without `segments`: strictly one element after the other.
  ScanLine(const CpuScanParts& kernel, const StopRequest* stop, const ScanAxis& axis, const char* input, char* output,
           bool segments)
      : kernel_(kernel), stop_(stop), axis_(axis), input_(input), output_(output), segments_(segments) {}

  void run() const;
  /// The same on several threads: each takes the next chunk, finds what it amounts to, waits for the chunk before it to tell
  /// what runs up to there, and then writes its results. The chunk is read twice, the second time from the cache.
  void run(const cpu::LaunchThreads& threads) const;

 private:
  struct alignas(16) Value {
    char bytes[16];
  };
  struct Buffers;

  /// 8 KB of them in a block, with what is read and written: twice as much no longer fits the first-level cache and takes 1.7
  /// times as long out of cache (50,000,000 float32).
  [[nodiscard]] std::int64_t depth() const { return kernel_.t_size <= 4 ? 32 : kernel_.t_size == 8 ? 16 : 8; }
  [[nodiscard]] std::int64_t chunk() const { return 8 * kCpuBlock * depth(); }
  /// What the chunk from `begin` on amounts to.
  void total(Buffers& buffers, std::int64_t begin, Value& value) const;
  /// Writes its results; `before` is what runs up to it, null at the beginning. `value` gets what the chunk amounts to.
  void write(Buffers& buffers, std::int64_t begin, const Value* before, Value& value) const;
  void join(const Value& before, Value& value) const;
  void segment(Buffers& buffers, std::int64_t begin, std::int64_t depth) const;
  void fold(Buffers& buffers, std::int64_t begin, std::int64_t end, Value* running) const;
  void put(Buffers& buffers, char* t, std::int64_t begin, std::int64_t depth) const;

  const CpuScanParts& kernel_;
  const StopRequest* stop_;
  ScanAxis axis_;
  const char* input_;
  char* output_;
  bool segments_;
};

}  // namespace kiln::kinds

#include "kernel/scan/line.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>

#include "device/cpu/copy.hpp"

namespace kiln::kinds {
namespace {

constexpr std::int64_t kLineLanes = kCpuBlock;
/// Of a block's elements as they are combined, whatever their size: 64 lanes of 32, 16 or 8.
constexpr std::int64_t kBlockBytes = kLineLanes * 32 * 4;
/// Fewer elements in a segment cost more than they save.
constexpr std::int64_t kLeastDepth = 8;
/// Elements that the serial loop has in its buffer at once.
constexpr std::int64_t kChunk = 512;

/// Lanes that are moved at once: between them the next block's memory is asked for, not all of it at once. It takes 50,000,000
/// float32 from 3.0 to 1.8 times the time of a copy, together with the size of a block.
constexpr std::int64_t kMoved = kLineLanes / 4;

template <int Write>
void fetch(const char* from, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += 64) {
    __builtin_prefetch(reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(from) + static_cast<std::uintptr_t>(i)),
                       Write, 2);
  }
}

}  // namespace

struct ScanLine::Buffers {
  // The input may be four times as wide as what is combined, and the output too.
  alignas(64) char in[4 * kBlockBytes];
  alignas(64) char own[kBlockBytes + kLineLanes * kAccumulatorBytes];
  alignas(64) char before[kLineLanes * kAccumulatorBytes];
  alignas(64) char same[kLineLanes * kAccumulatorBytes];
};

// In and out of `in`; elements of a segment a row apart, segments adjacent.
void ScanLine::segment(Buffers& buffers, std::int64_t begin, std::int64_t depth) const {
  char* const t = buffers.own;
  char* const in = kernel_.in_is_t != 0 ? t : buffers.in;
  const std::int64_t row = kLineLanes * kernel_.in_size;
  const char* from = input_ + begin * axis_.input_stride;
  const std::int64_t lane = depth * axis_.input_stride;
  for (std::int64_t i = 0; i < kLineLanes; i += kMoved) {
    if (axis_.input_stride == kernel_.in_size) fetch<0>(from + (kLineLanes + i) * lane, kMoved * lane);
    gather(in + i * kernel_.in_size, from + i * lane, {depth, axis_.input_stride, kMoved, lane, row}, kernel_.in_size);
  }
  if (in != t) kernel_.first(in, t, kLineLanes);
  kernel_.rows(in + row, t + kLineLanes * kernel_.t_size, depth - 1, kLineLanes);
}

void ScanLine::put(Buffers& buffers, char* t, std::int64_t begin, std::int64_t depth) const {
  if (kernel_.last != nullptr) {
    kernel_.last(t, buffers.in, depth * kLineLanes);
    t = buffers.in;
  }
  const std::int64_t row = kLineLanes * kernel_.out_size;
  char* const to = output_ + begin * axis_.output_stride;
  const std::int64_t lane = depth * axis_.output_stride;
  for (std::int64_t i = 0; i < kLineLanes; i += kMoved) {
    if (axis_.output_stride == kernel_.out_size) fetch<1>(to + (kLineLanes + i) * lane, kMoved * lane);
    scatter(to + i * lane, {depth, axis_.output_stride, kMoved, lane, row}, t + i * kernel_.out_size, kernel_.out_size);
  }
}

void ScanLine::join(const Value& before, Value& value) const {
  // chain() with `before` as the carry: it leaves f(before, value).
  Value running = before;
  Value ignored;
  kernel_.chain(&value, &ignored, &running, 1);
  value = running;
}

// From *running on, or from the first element where it is null; results are written.
void ScanLine::fold(Buffers& buffers, std::int64_t begin, std::int64_t end, Value* running) const {
  const std::int64_t size = kernel_.t_size;
  char* const t = buffers.own + kAccumulatorBytes;
  char* const before = t - size;
  bool fresh = running == nullptr;
  if (!fresh) std::memcpy(before, running, static_cast<std::size_t>(size));
  for (; begin < end; begin += kChunk) {
    if (stop_ != nullptr) [[unlikely]]
      stop_->require_not_due(kPartlyWritten);
    const std::int64_t count = std::min(kChunk, end - begin);
    gather(buffers.in, input_ + begin * axis_.input_stride, {1, 0, count, axis_.input_stride, 0}, kernel_.in_size);
    const std::int64_t taken = fresh ? 1 : 0;
    if (fresh) {
      // first() wants whole blocks.
      alignas(64) char row[kLineLanes * kAccumulatorBytes];
      repeat(row, buffers.in, kernel_.in_size, kLineLanes);
      kernel_.first(row, buffers.same, kLineLanes);
      std::memcpy(t, buffers.same, static_cast<std::size_t>(size));
      fresh = false;
    }
    if (kernel_.first_item != nullptr) [[unlikely]]
      kernel_.first_item(begin + taken);
    kernel_.fold(buffers.in + taken * kernel_.in_size, t + taken * size, count - taken);
    std::memcpy(before, t + (count - 1) * size, static_cast<std::size_t>(size));
    const char* results = t;
    if (kernel_.last != nullptr) {
      // Whole blocks again; what lies behind the results are older ones, or the first.
      const std::int64_t rest = (count + kLineLanes - 1) / kLineLanes * kLineLanes - count;
      repeat(t + count * size, t, size, rest);
      kernel_.last(t, buffers.in, count + rest);
      results = buffers.in;
    }
    scatter(output_ + begin * axis_.output_stride, {1, 0, count, axis_.output_stride, 0}, results, kernel_.out_size);
  }
  if (running != nullptr) std::memcpy(running, before, static_cast<std::size_t>(size));
}

void ScanLine::total(Buffers& buffers, std::int64_t begin, Value& value) const {
  const std::int64_t size = kernel_.t_size;
  const std::int64_t deep = depth();
  bool fresh = true;
  for (const std::int64_t end = begin + chunk(); begin < end; begin += deep * kLineLanes) {
    segment(buffers, begin, deep);
    const char* const totals = buffers.own + (deep - 1) * kLineLanes * size;
    if (fresh) std::memcpy(&value, totals, static_cast<std::size_t>(size));
    const std::int64_t from = fresh ? 1 : 0;
    kernel_.chain(totals + from * size, buffers.before, &value, kLineLanes - from);
    fresh = false;
  }
}

void ScanLine::write(Buffers& buffers, std::int64_t begin, const Value* before, Value& value) const {
  const std::int64_t size = kernel_.t_size;
  const auto bytes = static_cast<std::size_t>(size);
  const std::int64_t end = std::min(begin + chunk(), axis_.extent);
  bool fresh = true;
  if (before != nullptr) repeat(buffers.same, before->bytes, size, kLineLanes);
  while (end - begin >= kLeastDepth * kLineLanes) {
    const std::int64_t deep = std::min(depth(), (end - begin) / kLineLanes);
    segment(buffers, begin, deep);
    char* const t = buffers.own;
    char* const offsets = buffers.before;
    const char* const totals = t + (deep - 1) * kLineLanes * size;
    const std::int64_t from = fresh ? 1 : 0;
    if (fresh) {
      std::memcpy(&value, totals, bytes);
      std::memcpy(offsets, totals, bytes);
    }
    kernel_.chain(totals + from * size, offsets + from * size, &value, kLineLanes - from);
    if (before != nullptr) {
      // Nothing of this chunk runs before its first segment.
      kernel_.join(buffers.same, offsets, 1, kLineLanes);
      if (fresh) std::memcpy(offsets, before, bytes);
      kernel_.join(offsets, t, deep, kLineLanes);
    } else if (fresh) {
      char first[64 * kAccumulatorBytes];
      for (std::int64_t r = 0; r < deep; ++r) std::memcpy(first + r * size, t + r * kLineLanes * size, bytes);
      kernel_.join(offsets, t, deep, kLineLanes);
      for (std::int64_t r = 0; r < deep; ++r) std::memcpy(t + r * kLineLanes * size, first + r * size, bytes);
    } else {
      kernel_.join(offsets, t, deep, kLineLanes);
    }
    put(buffers, t, begin, deep);
    fresh = false;
    begin += deep * kLineLanes;
  }
  if (begin == end) return;
  // The end of the line.
  Value running;
  if (fresh) {
    if (before != nullptr) running = *before;
    return fold(buffers, begin, end, before != nullptr ? &running : nullptr);
  }
  running = value;
  if (before != nullptr) join(*before, running);
  fold(buffers, begin, end, &running);
}

void ScanLine::run() const {
  const auto buffers = std::make_unique_for_overwrite<Buffers>();
  if (!segments_) return fold(*buffers, 0, axis_.extent, nullptr);
  Value before;
  Value value;
  for (std::int64_t begin = 0; begin < axis_.extent; begin += chunk()) {
    if (stop_ != nullptr) [[unlikely]]
      stop_->require_not_due(kPartlyWritten);
    write(*buffers, begin, begin == 0 ? nullptr : &before, value);
    if (begin != 0) join(before, value);
    before = value;
  }
}

void ScanLine::run(const cpu::LaunchThreads& threads) const {
  const std::int64_t chunks = (axis_.extent + chunk() - 1) / chunk();
  if (!segments_ || chunks < 4) return run();
  // What runs up to each chunk, and how many of them are known.
  const auto known = std::make_unique_for_overwrite<Value[]>(static_cast<std::size_t>(chunks));
  std::atomic<std::int64_t> count{0};
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> due{false};
  threads.parallel_for(threads.count(), [&](std::int64_t) {
    const auto buffers = std::make_unique_for_overwrite<Buffers>();
    for (;;) {
      // Not later: others wait for a chunk that is taken.
      if (stop_ != nullptr && stop_->due()) return due.store(true, std::memory_order_relaxed);
      const std::int64_t mine = next.fetch_add(1, std::memory_order_relaxed);
      if (mine >= chunks) return;
      Value value;
      // Of the last one nobody asks.
      if (mine + 1 < chunks) total(*buffers, mine * chunk(), value);
      // Whoever took the chunk before this one is at work on it, so this ends.
      for (int turns = 0; count.load(std::memory_order_acquire) < mine; ++turns) {
        if (turns > 1000) std::this_thread::yield();
      }
      Value before;
      if (mine > 0) before = known[static_cast<std::size_t>(mine - 1)];
      if (mine + 1 < chunks) {
        if (mine > 0) join(before, value);
        known[static_cast<std::size_t>(mine)] = value;
        count.store(mine + 1, std::memory_order_release);
      }
      write(*buffers, mine * chunk(), mine > 0 ? &before : nullptr, value);
    }
  });
  if (due.load(std::memory_order_relaxed)) stop_->fail(kPartlyWritten);
}

}  // namespace kiln::kinds

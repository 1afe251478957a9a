#include <algorithm>
#include <cstring>
#include <vector>

#include "base/ceil_div.hpp"
#include "base/fork.hpp"
#include "device/cpu/cache_line.hpp"
#include "device/cpu/copy.hpp"
#include "kernel/reduction/cpu.hpp"
#include "kernel/reduction/cut.hpp"
#include "kernel/reduction/reducer.hpp"

namespace kiln::kinds {
namespace {

/// Segments whose results are made at once.
constexpr std::int64_t kBatch = 64;
/// Elements that a segment has at most to be one leaf of a reduction of its own.
constexpr std::int64_t kOneLeaf = 65536;
constexpr std::int64_t kWorthThreads = 1 << 15;
constexpr std::int64_t kChunksPerThread = 4;

class Segments {
 public:
  Segments(const cpu::CpuModule& module, const ReductionLaunch& launch, const cpu::LaunchThreads& threads)
      : threads_(threads),
        module_(module),
        kernel_(reduction_of(module)),
        launch_(launch),
        segments_(*launch.segments),
        axis_(launch.kept.size()),
        operands_(launch.operands.begin(), launch.operands.end()) {
    in_rows_ = launch.kept.empty();
    for (int k = 0; k < kernel_.inputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      in_rows_ = in_rows_ && operands_[i].strides[axis_] == kernel_.itemsize[k];
    }
  }

  /// These, one after the other.
  void run(std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end;) {
      std::int64_t until = i;
      while (in_rows_ && until < end && until - i < kBatch && count(until) <= kOneLeaf) ++until;
      if (until > i) {
        batch(i, until);
        i = until;
      } else {
        const ReductionLaunch own = segment(i++);
        const ReductionCut cut = cut_reduction(kernel_, own);
        Reducer(kernel_, own, cut, cut.leaves, threads_.stop()).tiles(0, cut.tiles);
      }
    }
  }

  /// One, on all threads.
  void run_on_all(std::int64_t number) { reduce(module_, segment(number), threads_); }

 private:
  [[nodiscard]] std::int64_t count(std::int64_t number) const { return segments_.count(static_cast<std::size_t>(number)); }
  [[nodiscard]] char* input(std::size_t operand, std::int64_t number) const {
    const LaunchOperand& from = launch_.operands[operand];
    return static_cast<char*>(from.data) + segments_.begins[static_cast<std::size_t>(number)] * from.strides[axis_];
  }

  // Refers to operands_ and count_.
  ReductionLaunch segment(std::int64_t number) {
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      operands_[k].data = k < static_cast<std::size_t>(kernel_.inputs)
                              ? input(k, number)
                              : static_cast<char*>(launch_.operands[k].data) + number * segments_.step;
    }
    count_ = count(number);
    ReductionLaunch own = launch_;
    own.segments = nullptr;
    own.operands = operands_;
    own.reduced = {&count_, 1};
    own.count = count_;
    return own;
  }

  // Segments that lie in memory as the kernel reads them: 9 ns for one of 3 float32, where a reduction of its own takes 100.
  void batch(std::int64_t begin, std::int64_t end) {
    states_.resize(static_cast<std::size_t>(kBatch * kernel_.state_size) + std::size_t{cpu::kCacheLine});
    char* const states = aligned(states_.data());
    std::array<void*, kMaxOperands> addresses;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what is used is set
    for (std::int64_t i = begin; i < end; ++i) {
      if (threads_.stop() != nullptr) [[unlikely]]
        threads_.stop()->require_not_due(kPartlyWritten);
      for (std::size_t k = 0; k < static_cast<std::size_t>(kernel_.inputs); ++k) addresses[k] = input(k, i);
      kernel_.fold(addresses.data(), count(i), states + (i - begin) * kernel_.state_size, true);
    }
    const auto output = static_cast<std::size_t>(kernel_.inputs);
    const std::int64_t size = kernel_.itemsize[output];
    char* const to = static_cast<char*>(launch_.operands[output].data) + begin * segments_.step;
    alignas(cpu::kCacheLine) std::array<char, kBatch * 16>
        results;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    void* const place = segments_.step == size ? to : results.data();
    kernel_.finish(states, launch_.initial, end - begin, &place, false, nullptr);
    if (place != to) scatter(to, {1, 0, end - begin, segments_.step, 0}, results.data(), size);
  }

  static char* aligned(char* address) {
    constexpr std::uintptr_t line = cpu::kCacheLine;
    return address + (line - reinterpret_cast<std::uintptr_t>(address) % line) % line;
  }

  const cpu::LaunchThreads threads_;
  const cpu::CpuModule& module_;
  const CpuReduction& kernel_;
  const ReductionLaunch& launch_;
  const ReductionSegments& segments_;
  std::size_t axis_;
  std::vector<LaunchOperand> operands_;
  std::int64_t count_ = 0;
  bool in_rows_ = false;
  std::vector<char> states_;
};

}  // namespace

void reduce_segments(const cpu::CpuModule& module, const ReductionLaunch& launch, const cpu::LaunchThreads& threads) {
  const ReductionSegments& all = *launch.segments;
  const auto segments = static_cast<std::int64_t>(all.begins.size());
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < all.begins.size(); ++i) elements += launch.outputs * all.count(i);
  if (threads.count() == 1 || base::forked() || elements < kWorthThreads)
    return Segments(module, launch, threads).run(0, segments);
  const std::int64_t chunks = kChunksPerThread * std::int64_t{threads.count()};
  if (segments < chunks) {
    Segments each(module, launch, threads);
    for (std::int64_t i = 0; i < segments; ++i) each.run_on_all(i);
    return;
  }
  // Chunks of about as many elements.
  const std::int64_t each = base::ceil_div(elements, chunks);
  std::vector<std::int64_t> ends;
  std::int64_t taken = 0;
  for (std::int64_t i = 0; i < segments; ++i) {
    taken += launch.outputs * all.count(static_cast<std::size_t>(i));
    if (taken >= each * (static_cast<std::int64_t>(ends.size()) + 1) || i + 1 == segments) ends.push_back(i + 1);
  }
  threads.parallel_for(static_cast<std::int64_t>(ends.size()), [&](std::int64_t chunk) {
    const auto at = static_cast<std::size_t>(chunk);
    Segments(module, launch, threads).run(at == 0 ? 0 : ends[at - 1], ends[at]);
  });
}

}  // namespace kiln::kinds

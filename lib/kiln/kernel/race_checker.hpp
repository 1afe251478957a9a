// Finds races among the accesses of one launch on the CPU, whose threads run one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/kernel_abi.hpp"
#include "kernel/race_shadow.hpp"
#include "kernels-src/core/faults.hpp"
#include "kernels-src/raw/race.hpp"

namespace kiln::kinds {

/// An array that threads access, as messages name it.
struct RacedArray {
  std::int32_t argument = 0;  ///< of the kernel, inputs before outputs
  const void* data = nullptr;
  std::int64_t size = 0;  ///< elements
  std::int64_t item_bytes = 0;
  bool by_axes = false;                    ///< messages have an index for each axis; else elements are consecutive
  std::vector<std::int64_t> extents = {};  ///< by axes
  std::vector<std::int64_t> strides = {};  ///< bytes, of any sign
};

/// What of a launch decides which accesses race.
struct RacedLaunch {
  std::int64_t size = -1;  ///< items; negative: blocks
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::int64_t shared_bytes = 0;
  std::vector<RacedArray> arrays = {};
};

/// Which accesses race: race::Cell, as on the emulated GPU. A barrier orders threads of one block alone. A write of what is
/// there already is not reported.
class RaceChecker {
 public:
  /// `shared`: where the dynamic shared memory of every block is. All outlive it.
  RaceChecker(RacedLaunch launch, const RaceTable& table, FaultBuffer& faults, void* shared);

  /// What is accessed next is by this thread.
  void enter(std::int64_t block, std::int64_t thread) noexcept;
  /// All threads of the block have come to a barrier, or the next block begins.
  void pass_barrier() noexcept { ++epoch_; }
  /// An access of the thread, as RaceTable::access has it: before it is done.
  void access(void* address, std::int64_t bytes, const void* value, std::int32_t use, std::int32_t place);
  /// A barrier that a thread of the block waits at, and that the other does not reach.
  void report_missing(std::int64_t waiting, std::int64_t missing, const RacePlace& barrier);

  /// Threads of a block; of items each is a block of its own.
  [[nodiscard]] std::int64_t threads() const noexcept { return threads_; }
  [[nodiscard]] std::int64_t blocks() const noexcept { return blocks_; }

 private:
  struct Conflict {
    RaceAccess other;
    std::int32_t use = 0;
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
  };

  [[nodiscard]] bool is_ordered(const RaceAccess& other, bool shared) const noexcept;
  [[nodiscard]] bool is_shared(std::uintptr_t address) const noexcept;
  [[nodiscard]] FaultPlace place_of(std::uint64_t thread) const noexcept;
  [[nodiscard]] Fault* begin_fault(FaultKind kind, std::uint64_t thread, const RacePlace& place);
  void report(const Conflict& conflict, std::int32_t use, const RaceAccess& own);
  /// What the message calls the memory.
  void name(std::uintptr_t address, std::size_t bytes, Fault& fault) const;

  const RacedLaunch launch_;
  const RaceTable& table_;
  FaultBuffer& faults_;
  std::uintptr_t dynamic_;  // shared memory
  std::int64_t threads_;
  std::int64_t blocks_;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> shared_;  // from, to
  RaceShadow shadow_;
  std::uint64_t thread_ = 0;  // number in the launch
  std::uint64_t block_begin_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace kiln::kinds

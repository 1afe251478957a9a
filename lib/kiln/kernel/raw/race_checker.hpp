// Finds races among the accesses of one launch of a raw kernel on the CPU, whose threads run one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/kernel_abi.hpp"
#include "kernel/raw/launch.hpp"
#include "kernel/raw/race_shadow.hpp"
#include "kernels-src/core/faults.hpp"
#include "kernels-src/raw/race.hpp"

namespace kiln::kinds {

/// Which accesses race: race::Cell, as on the emulated GPU. A barrier orders threads of one block alone. A write of what is
/// there already is not reported.
class RaceChecker {
 public:
  /// `shared`: where the dynamic shared memory of every block is. All outlive it.
  RaceChecker(const RawLaunch& launch, const RaceTable& table, FaultBuffer& faults, void* shared);

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
  [[nodiscard]] bool is_of_argument(std::size_t i, const std::int64_t* axes, std::uintptr_t address, Fault& fault) const;

  const RawLaunch& launch_;
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

// A block of threads: its warps, its shared memory, its barriers, and what it knows to be done.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulator/run/launch.hpp"
#include "emulator/run/warp.hpp"

namespace kiln::emulator {

inline constexpr std::uint32_t kBarriers = 16;  ///< of a block

class Block {
 public:
  Block(Launch& launch, std::uint32_t number);

  /// Runs some warp for a while. False where all threads have ended. KernelFault where those that have not all wait.
  bool run(std::uint64_t random);

  [[nodiscard]] Launch& launch() noexcept { return launch_; }
  [[nodiscard]] const Launch& launch() const noexcept { return launch_; }
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] Extent position() const noexcept { return position_in(launch_.grid, number_); }
  [[nodiscard]] unsigned threads() const noexcept { return threads_; }
  [[nodiscard]] std::vector<char>& shared() noexcept { return shared_; }
  [[nodiscard]] Shadow& shared_shadow() noexcept { return *shared_shadow_; }
  [[nodiscard]] std::uint32_t epoch() const noexcept { return epoch_; }
  /// Some lanes reach barrier `number`: `expected` threads are to (0: all of the block); `yes` of them have a true predicate.
  void arrive(std::uint32_t number, unsigned lanes, unsigned expected, unsigned yes, BarrierResult result);
  /// Threads have ended: a barrier may be waiting for them.
  void ended();
  /// `releases` counts those of the thread, this one among them.
  void release(std::uint64_t address, std::uint32_t thread, std::uint32_t releases);
  void acquire(std::uint64_t address);
  /// Whether an access of another thread is known to be done by what was released and acquired.
  [[nodiscard]] bool knows(const Access& other) const;

 private:
  struct Barrier {
    unsigned arrived = 0, yes = 0, expected = 0;
    BarrierResult result = BarrierResult::none;
  };
  void complete(std::uint32_t number);
  [[noreturn]] void fail_waiting() const;

  Launch& launch_;
  std::uint32_t number_;
  unsigned threads_;
  std::vector<char> shared_;
  std::unique_ptr<Shadow> shared_shadow_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::array<Barrier, kBarriers> barriers_{};
  std::uint32_t epoch_ = 0;
  Known known_;
  std::unordered_map<std::uint64_t, std::uint64_t> learned_;  ///< versions, by address
};

}  // namespace kiln::emulator

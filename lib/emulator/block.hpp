// A block of threads: its warps, its shared memory, its barriers; and the launch that it is of.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/warp.hpp"

namespace kiln::emulator {

using Extent = std::array<std::uint32_t, 3>;

/// What a block knows to be done: of others, everything before a barrier; of threads, everything before one of their releases.
struct Known {
  std::unordered_map<std::uint32_t, std::uint32_t> epochs;    ///< by block
  std::unordered_map<std::uint32_t, std::uint32_t> releases;  ///< by thread

  void join(const Known& other);
};
/// What threads have released at an address.
struct Released {
  Known known;
  std::uint64_t version = 0;  ///< counts releases: threads that spin need not learn the same again
};

struct Launch {
  const Program& program;
  const Code& kernel;
  Extent grid;
  Extent block;
  std::uint32_t dynamic_shared = 0;
  std::vector<char> parameters;  ///< as the kernel lays them out
  std::uint32_t command = 0;
  std::uint64_t seed = 1;
  std::uint64_t most_steps = 0;  ///< instructions of warps; more is a timeout
  Memory& memory;
  /// Whether that command is done, in every order that the streams allow, before this one begins.
  std::function<bool(std::uint32_t)> is_before;
  std::function<std::string(std::uint32_t)> describe;

  std::unordered_map<std::uint64_t, Released> released = {};  ///< by address
  std::uint64_t steps = 0;
  std::uint64_t instructions = 0;  ///< of threads
};

class Block {
 public:
  Block(Launch& launch, std::uint32_t number);

  /// Runs some warp for a while. False where all threads have ended. Finding where those that have not all wait.
  bool run(std::uint64_t random);

  [[nodiscard]] Launch& launch() noexcept { return launch_; }
  [[nodiscard]] const Launch& launch() const noexcept { return launch_; }
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] Extent position() const noexcept;
  [[nodiscard]] unsigned threads() const noexcept { return threads_; }
  [[nodiscard]] std::vector<char>& shared() noexcept { return shared_; }
  [[nodiscard]] Shadow& shared_shadow() noexcept { return *shared_shadow_; }
  [[nodiscard]] std::uint32_t epoch() const noexcept { return epoch_; }
  /// Some lanes reach barrier `number`: `expected` threads are to (0: all of the block); `yes` of them bring a true predicate.
  void arrive(std::uint32_t number, unsigned lanes, unsigned expected, unsigned yes, std::uint32_t operation);
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
    std::uint32_t operation = 0;
  };
  void complete(std::uint32_t number);
  [[noreturn]] void fail_waiting() const;

  Launch& launch_;
  std::uint32_t number_;
  unsigned threads_;
  std::vector<char> shared_;
  std::unique_ptr<Shadow> shared_shadow_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::array<Barrier, 16> barriers_{};
  std::uint32_t epoch_ = 0;
  Known known_;
  std::unordered_map<std::uint64_t, std::uint64_t> learned_;  ///< versions, by address
};

/// Runs every block. Throws Finding.
void run(Launch& launch);

}  // namespace kiln::emulator

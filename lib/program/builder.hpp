// Machine code for a job: memory, then disk, then the compiler. One compile per key, however many threads and processes ask.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "backend/compiler.hpp"
#include "cache/cache.hpp"
#include "kiln/error.hpp"
#include "program/job.hpp"
#include "program/program.hpp"

namespace kiln::program {

/// Thread-safe. A failed compile is remembered, and thrown again without compiling.
class Builder {
 public:
  /// How much code and how many failures are remembered; the oldest go first.
  struct Limits {
    std::size_t code_bytes = std::size_t{64} << 20;
    std::size_t failures = 1000;
  };

  /// `store` may be null (no disk) and must outlive the builder.
  explicit Builder(cache::DiskStore* store) : Builder(store, Limits{}) {}
  Builder(cache::DiskStore* store, Limits limits) : store_(store), limits_(limits) {}

  /// Throws CompileError for what does not compile, and whatever else the compiler throws, which is not remembered.
  [[nodiscard]] Code build(const Job& job, const backend::Compiler& compiler);

  /// Call around fork(): before it, then in the parent, and in the child, which forgets what other threads were compiling.
  void before_fork() { mutex_.lock(); }
  void after_fork_in_parent() { mutex_.unlock(); }
  void after_fork_in_child();

  /// What build() did so far; a load that finds its module in memory calls count_memory_hit().
  [[nodiscard]] Counts counts() const noexcept;
  void count_memory_hit() noexcept { memory_hits_.fetch_add(1, std::memory_order_relaxed); }

 private:
  struct Outcome {
    std::shared_ptr<const Code> code;
    std::shared_ptr<const CompileError> failure;
    std::string signature;  ///< that failed: the next one to ask may have another
    // Neither: the thread that tried failed for reasons of its own, and the next one tries again.
  };
  using Table = std::unordered_map<std::string, Outcome>;

  [[noreturn]] static void rethrow(const Outcome& outcome, const Job& job);
  Code lead(const Job& job, const backend::Compiler& compiler, std::promise<Outcome> promise);
  Outcome compile(const Job& job, const backend::Compiler& compiler);
  void store(const Job& job, const Code& code) const;
  void settle(const std::string& digest, const Outcome& outcome);
  Code from_memory(const Outcome& outcome, const Job& job);

  cache::DiskStore* const store_;
  const Limits limits_;
  std::mutex mutex_;  ///< held for look-ups only, never while compiling, on the disk or in a callback
  std::unordered_map<std::string, std::shared_future<Outcome>> in_flight_;
  Table known_;
  std::deque<std::string> code_order_, failure_order_;
  std::size_t code_bytes_ = 0;
  std::atomic<std::uint64_t> memory_hits_{0}, disk_hits_{0}, compiles_{0}, compile_ns_{0};
};

}  // namespace kiln::program

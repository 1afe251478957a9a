// Machine code for a job: memory, then disk, then the compiler. One compile per key, however many threads and processes ask.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "cache/disk_store.hpp"
#include "device/backend.hpp"
#include "program/counters.hpp"
#include "program/job.hpp"
#include "program/memory_entries.hpp"
#include "program/memory_tier.hpp"
#include "program/program.hpp"

namespace kiln::program {

/// Thread-safe, and usable after a fork. A failed compile is remembered in memory, and thrown again without compiling; one that
/// failed by chance (CompilerEnded) only to those who wait for it.
class Builder {
 public:
  using Limits = MemoryTier::Limits;

  /// `store` may be null (no disk) and must outlive the builder.
  explicit Builder(cache::DiskStore* store) : Builder(store, Limits{}) {}
  Builder(cache::DiskStore* store, Limits limits);
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// Throws CompileError for what does not compile, and whatever else the compiler throws, which is not remembered.
  [[nodiscard]] Code build(const Job& job, const backend::Compiler& compiler);

  /// build(), loaded on the device; the module that is loaded already where there is one. `history` gets where it came from.
  [[nodiscard]] std::shared_ptr<backend::Module> load(const Job& job, backend::Backend& backend, History* history = nullptr);
  /// The same from memory and disk alone; null where neither has it.
  [[nodiscard]] std::shared_ptr<backend::Module> load_found(const Job& job, backend::Backend& backend,
                                                            History* history = nullptr);

  /// Whether memory or a disk tier has the kernel. Counts nothing.
  [[nodiscard]] bool has(const Job& job);
  /// Puts a kernel that was compiled elsewhere into memory.
  void adopt(const std::string& digest, cache::Record record);

  /// Call around fork(): before it, then in the parent, and in the child, which forgets what other threads were compiling.
  void before_fork() { mutex_.lock(); }
  void after_fork_in_parent() { mutex_.unlock(); }
  void after_fork_in_child();

  [[nodiscard]] cache::Stats stats() const noexcept { return counters_.stats(); }
  /// What was compiled and has no directory to go to.
  [[nodiscard]] const MemoryEntries& entries() const noexcept { return entries_; }

 private:
  [[noreturn]] static void rethrow(const Outcome& outcome, const Job& job);
  std::shared_ptr<backend::Module> loaded(const Job& job, backend::Backend& backend, History* history);
  std::shared_ptr<backend::Module> load_code(const Job& job, const Code& code, backend::Backend& backend);
  Code lead(const Job& job, const backend::Compiler& compiler, std::promise<Outcome> promise);
  bool look_on_disk(const Job& job, Outcome* outcome, cache::Miss* miss);
  Outcome compile(const Job& job, const backend::Compiler& compiler);
  bool store(const Job& job, const Code& code);
  void settle(const std::string& digest, const Outcome& outcome);
  Code from_memory(const Outcome& outcome, const Job& job);

  cache::DiskStore* const store_;
  std::mutex mutex_;  ///< held for look-ups only, never while compiling, on the disk, unloading or in a callback
  std::unordered_map<std::string, std::shared_future<Outcome>> in_flight_;
  MemoryTier memory_;
  MemoryEntries entries_;
  Counters counters_;
};

/// The entry of a kernel, as the cache stores it.
[[nodiscard]] cache::Record record_of(const Job& job, const Code& code);

/// The outcome of a compile of the job, with places in the user's own texts.
CompileError about_texts(const CompileError& error, const Job& job, const backend::Compiler& compiler);

}  // namespace kiln::program

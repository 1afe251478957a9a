// The memory tier: machine code, the modules loaded from it, and what failed to compile, by the digest of its key. Has no lock
// of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/backend.hpp"
#include "program/program.hpp"

namespace kiln {
class CompileError;
}  // namespace kiln

namespace kiln::program {

/// What came of building a kernel: code, or a failure, or neither: whoever tried failed for reasons of its own.
struct Outcome {
  Code code = {};
  std::shared_ptr<const CompileError> failure = nullptr;
  std::string signature = {};              ///< that failed: the next one to ask may have another
  bool by_chance = false;                  ///< a failure for those who wait for it: the next compile may go otherwise
  std::chrono::milliseconds time_limit{};  ///< of that failure

  [[nodiscard]] bool known() const noexcept { return code.image != nullptr || failure != nullptr; }
};

class MemoryTier {
 public:
  /// How much code, as stored and as loaded, and how many failures are remembered; the least recently used go first.
  struct Limits {
    std::size_t code_bytes = std::size_t{64} << 20;
    std::size_t failures = 1000;
  };
  /// What goes with an evicted kernel. Modules take time to unload: let it end after the lock.
  using Dropped = std::vector<std::shared_ptr<const void>>;

  explicit MemoryTier(Limits limits) : limits_(limits) {}

  /// Null where nothing is known. Counts as a use.
  [[nodiscard]] const Outcome* find(const std::string& digest);
  /// Remembers it, where nothing is known yet and it is not larger than the bound.
  void insert(const std::string& digest, const Outcome& outcome, Dropped& dropped);

  struct Loaded {
    std::shared_ptr<backend::Module> module = nullptr;
    double compile_ms = 0;
  };
  /// The module of that kernel on that device, where it is remembered or someone else still holds it. Counts as a use.
  [[nodiscard]] Loaded find_module(const std::string& digest, const backend::Backend& backend);
  /// Remembers it as long as its code; beyond that, as long as others hold it. Gives the module that is there already, if any.
  [[nodiscard]] std::shared_ptr<backend::Module> insert_module(const std::string& digest, const backend::Backend& backend,
                                                               Loaded loaded, Dropped& dropped);

  /// Of the code and of what its modules take of the host's memory.
  [[nodiscard]] std::size_t code_bytes() const noexcept { return code_bytes_; }

 private:
  using Order = std::list<const std::string*>;  // least recently used first; of the table's keys, which do not move
  struct OnDevice {
    const backend::Backend* backend;
    std::shared_ptr<backend::Module> module;
  };
  struct Node {
    Outcome outcome;
    Order::iterator place;
    std::vector<OnDevice> modules;
  };
  struct Orphan {
    std::weak_ptr<backend::Module> module;
    double compile_ms;
  };
  struct OrphanKey {
    std::string digest;
    const backend::Backend* backend;
    friend bool operator==(const OrphanKey&, const OrphanKey&) = default;
  };
  struct OrphanHash {
    std::size_t operator()(const OrphanKey& key) const noexcept {
      return std::hash<std::string>()(key.digest) ^ std::hash<const void*>()(key.backend);
    }
  };
  using Table = std::unordered_map<std::string, Node>;

  Node* use(const std::string& digest);
  void drop_beyond_limit(Dropped& dropped);
  void drop_oldest(Order& order, Dropped& dropped);
  void add_orphan(OrphanKey key, const std::shared_ptr<backend::Module>& module, double compile_ms);

  Limits limits_;
  Table table_;
  Order codes_, failures_;
  std::size_t code_bytes_ = 0;
  std::unordered_map<OrphanKey, Orphan, OrphanHash> orphans_;  // of what is not in the table
  std::size_t orphans_swept_ = 64;                             // once there are so many, the dead ones go
};

}  // namespace kiln::program

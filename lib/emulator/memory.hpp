// Device memory: the host's, in allocations that are known, each with the shadow of what was done to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "emulator/shadow.hpp"

namespace kiln::emulator {

struct Allocation {
  char* address = nullptr;
  std::size_t bytes = 0;
  bool read_only = false;      ///< .const
  bool in_heap = false;        ///< a kernel's malloc
  bool shared_freely = false;  ///< its threads need no order: what kernels in debug mode write their faults to
  std::uint32_t command = 0;   ///< that allocated it in a stream's order; 0: none
  std::string name;            ///< of a variable of a module
  std::unique_ptr<Shadow> shadow;
  std::unique_ptr<char[]> room;

  [[nodiscard]] bool contains(std::uint64_t at, std::size_t count) const noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    return at >= begin && at - begin <= bytes && bytes - (at - begin) >= count;
  }
};

/// Not thread-safe.
class Memory {
 public:
  explicit Memory(std::size_t limit) : limit_(limit) {}

  /// Aligned to 256 bytes, as CUDA's, filled with what no test expects; null where the limit is reached.
  Allocation* allocate(std::size_t bytes);
  /// The same for a kernel's malloc, where all of its allocations together may have so many bytes.
  Allocation* allocate_in_heap(std::size_t bytes, std::size_t limit);
  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  /// Counts releases: a pointer to an allocation is good for as long as this does not change.
  [[nodiscard]] std::uint64_t frees() const noexcept { return frees_; }
  /// False where that is no allocation's address.
  bool free(std::uint64_t address);
  /// The allocation that an address lies in, or behind which it lies nearest; null where there is none below it.
  [[nodiscard]] Allocation* near(std::uint64_t address);
  /// Null where the bytes are not all of one allocation.
  [[nodiscard]] Allocation* find(std::uint64_t address, std::size_t bytes);

 private:
  std::size_t limit_;
  std::size_t used_ = 0;
  std::size_t heap_ = 0;  ///< of the used bytes
  std::uint64_t frees_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Allocation>> all_;
};

}  // namespace kiln::emulator

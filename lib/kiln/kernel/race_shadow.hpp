// What threads did last to each part of memory, as far as it decides whether the next access races.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shared/race_cell.hpp"

namespace kiln::kinds {

/// An access of a launch.
struct RaceAccess {
  std::uint64_t thread = 0;      ///< its number in the launch + 1; 0: there was none
  std::uint32_t epoch = 0;       ///< barriers and blocks before it
  std::uint32_t place : 31 = 0;  ///< of RaceTable::places
  bool atomic : 1 = false;
};

using RaceCell = race::Cell<RaceAccess>;

/// Cells for all memory that is asked for, of 8 bytes or of as few as accesses differ by. Not thread-safe.
class RaceShadow {
 public:
  /// Calls f(cell, address, bytes) for each cell of [address, address + bytes).
  template <class F>
  void each(std::uintptr_t address, std::size_t bytes, const F& f) {
    const std::uintptr_t end = address + bytes;
    while (address < end) {
      const std::size_t here = std::size_t{kPageBytes} - address % kPageBytes;
      const std::size_t count = here < end - address ? here : end - address;
      Page& page = page_of(address, count);
      for (const std::uintptr_t stop = address + count; address < stop; address += page.granule) {
        f(page.cells[address % kPageBytes / page.granule], address, page.granule);
      }
    }
  }

 private:
  static constexpr std::size_t kPageBytes = 128;  // arrays may be touched here and there
  struct Page {
    std::size_t granule = 0;  // bytes of a cell, a power of two
    std::vector<RaceCell> cells;
  };

  /// Whose cells begin at `address` and end behind `bytes`.
  Page& page_of(std::uintptr_t address, std::size_t bytes);
  static void split(Page& page, std::size_t granule);

  std::unordered_map<std::uintptr_t, Page> pages_;
  struct Recent {
    std::uintptr_t number = 0;
    Page* page = nullptr;
  };
  std::array<Recent, 64> recent_;
};

}  // namespace kiln::kinds

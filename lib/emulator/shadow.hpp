// What is remembered of each granule of memory: who wrote it and who read it last, so that accesses that nothing orders are
// found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "shared/race_cell.hpp"

namespace kiln::emulator {

/// One thread's access, as far as ordering goes.
struct Access {
  std::uint32_t command = 0;  ///< of the device: counts launches and copies from 1; 0: none
  std::uint32_t thread = 0;   ///< number within the launch
  std::uint32_t epoch = 0;    ///< barriers that its block had passed
  std::uint32_t warp_epoch = 0;
  std::uint32_t releases = 0;    ///< that the thread had made
  std::uint32_t place : 31 = 0;  ///< index of the instruction
  bool atomic : 1 = false;       ///< or one that others may see at any time (.volatile, .relaxed, …)
};

using Cell = race::Cell<Access>;

/// Cells of a range of memory: of four bytes each, until something smaller is accessed.
class Shadow {
 public:
  explicit Shadow(std::size_t bytes);

  /// Cells of `bytes` bytes from `offset` on: first and number. Splits cells where they are larger than that.
  struct Range {
    Cell* first;
    std::size_t count;
  };
  [[nodiscard]] Range cells(std::size_t offset, std::size_t bytes);
  [[nodiscard]] std::size_t granule() const noexcept { return granule_; }

 private:
  struct Free {
    void operator()(Cell* cells) const noexcept;
  };
  void split(std::size_t granule);

  std::size_t bytes_;
  std::size_t granule_ = 4;
  std::unique_ptr<Cell[], Free> cells_;  // zero pages until they are used
};

}  // namespace kiln::emulator

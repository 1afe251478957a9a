#include "emulator/shadow.hpp"

#include <cstdlib>
#include <new>

namespace kiln::emulator {
namespace {

Cell* zeroed(std::size_t count) {
  void* const made = std::calloc(count, sizeof(Cell));  // pages of zeros cost nothing
  if (made == nullptr) throw std::bad_alloc();
  return static_cast<Cell*>(made);
}

}  // namespace

void Shadow::Free::operator()(Cell* cells) const noexcept {
  std::free(cells);
}

Shadow::Shadow(std::size_t bytes) : bytes_(bytes), cells_(zeroed(bytes / granule_ + 1)) {}

Shadow::Range Shadow::cells(std::size_t offset, std::size_t bytes) {
  while (granule_ > 1 && (offset % granule_ != 0 || bytes % granule_ != 0)) split(granule_ / 2);
  return {cells_.get() + offset / granule_, bytes / granule_};
}

void Shadow::split(std::size_t granule) {
  const std::size_t count = bytes_ / granule_ + 1;
  std::unique_ptr<Cell[], Free> finer(zeroed(bytes_ / granule + 2));
  for (std::size_t i = 0; i < count; ++i) {
    // Cells that nothing has touched stay pages of zeros.
    if (cells_[i].write.command == 0 && cells_[i].read.command == 0) continue;
    for (std::size_t k = 0; k < granule_ / granule && i * (granule_ / granule) + k < bytes_ / granule + 2; ++k) {
      finer[i * (granule_ / granule) + k] = cells_[i];
    }
  }
  cells_ = std::move(finer);
  granule_ = granule;
}

}  // namespace kiln::emulator

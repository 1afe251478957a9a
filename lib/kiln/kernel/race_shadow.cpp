#include "kernel/race_shadow.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace kiln::kinds {

RaceShadow::Page& RaceShadow::page_of(std::uintptr_t address, std::size_t bytes) {
  const std::uintptr_t number = address / kPageBytes;
  Recent& recent = recent_[number % recent_.size()];
  if (recent.page == nullptr || recent.number != number) recent = {number, &pages_[number]};
  Page& page = *recent.page;
  const std::size_t granule = std::min<std::size_t>(8, std::size_t{1} << std::countr_zero(address | bytes));
  if (granule < page.granule || page.granule == 0) [[unlikely]]
    split(page, granule);
  return page;
}

void RaceShadow::split(Page& page, std::size_t granule) {
  std::vector<RaceCell> cells(kPageBytes / granule);
  for (std::size_t i = 0; page.granule != 0 && i < cells.size(); ++i) cells[i] = page.cells[i * granule / page.granule];
  page.cells = std::move(cells);
  page.granule = granule;
}

}  // namespace kiln::kinds

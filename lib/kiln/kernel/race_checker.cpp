#include "kernel/race_checker.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

namespace kiln::kinds {
namespace {

std::uintptr_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

void copy_text(std::span<char> to, std::string_view from) {
  const std::size_t count = std::min(from.size(), to.size() - 1);
  std::ranges::copy(from.substr(0, count), to.begin());
  to[count] = '\0';
}

/// A race::Use.
std::int32_t kind_of_use(std::int32_t use) {
  return (use & kRaceWrites) == 0 ? 0 : (use & kRaceAtomic) == 0 ? 1 : 2;
}

std::array<std::int32_t, 3> position(std::int64_t number, const std::array<std::int64_t, 3>& in) {
  return {static_cast<std::int32_t>(number % in[0]), static_cast<std::int32_t>(number / in[0] % in[1]),
          static_cast<std::int32_t>(number / in[0] / in[1])};
}

std::int64_t product(const std::array<std::int64_t, 3>& of) {
  return of[0] * of[1] * of[2];
}

}  // namespace

RaceChecker::RaceChecker(RacedLaunch launch, const RaceTable& table, FaultBuffer& faults, void* shared)
    : launch_(std::move(launch)),
      table_(table),
      faults_(faults),
      dynamic_(number_of(shared)),
      threads_(launch_.size >= 0 ? 1 : product(launch_.block)),
      blocks_(launch_.size >= 0 ? launch_.size : product(launch_.grid)) {
  for (const RaceVariable& each : std::span(table.variables, static_cast<std::size_t>(table.variable_count))) {
    const std::uintptr_t at = number_of(each.address);
    if (each.shared != 0) shared_.emplace_back(at, at + static_cast<std::uintptr_t>(each.bytes));
  }
  if (launch_.shared_bytes > 0) shared_.emplace_back(dynamic_, dynamic_ + static_cast<std::uintptr_t>(launch_.shared_bytes));
}

void RaceChecker::enter(std::int64_t block, std::int64_t thread) noexcept {
  block_begin_ = static_cast<std::uint64_t>(block * threads_);
  thread_ = block_begin_ + static_cast<std::uint64_t>(thread);
}

bool RaceChecker::is_shared(std::uintptr_t address) const noexcept {
  return std::any_of(shared_.begin(), shared_.end(),
                     [&](const auto& range) { return address >= range.first && address < range.second; });
}

bool RaceChecker::is_ordered(const RaceAccess& other, bool shared) const noexcept {
  if (other.thread == 0 || other.thread - 1 == thread_) return true;
  // Blocks run one after the other: what is not of this one is of an earlier one, whose shared memory was another.
  if (other.thread - 1 < block_begin_) return shared;
  return other.epoch != epoch_;
}

void RaceChecker::access(void* address, std::int64_t bytes, const void* value, std::int32_t use, std::int32_t place) {
  const std::uintptr_t at = number_of(address);
  if (at - number_of(&faults_) < sizeof faults_ || bytes <= 0) return;  // of a view, where an index was out of bounds
  const bool writes = (use & kRaceWrites) != 0;
  const bool atomic = (use & kRaceAtomic) != 0;
  const bool shared = is_shared(at);
  const RaceAccess own{
      .thread = thread_ + 1, .epoch = epoch_, .place = static_cast<std::uint32_t>(place) & 0x7fffffffU, .atomic = atomic};
  Conflict conflict;
  shadow_.each(at, static_cast<std::size_t>(bytes), [&](RaceCell& cell, std::uintptr_t where, std::size_t size) {
    // Who writes what is there already takes nothing from anybody.
    const auto writes_the_same = [&] {
      if (!writes || atomic || value == nullptr) return false;
      const std::span there(reinterpret_cast<const unsigned char*>(where), size);
      const auto* const written = static_cast<const unsigned char*>(value);
      if ((use & kRaceFills) != 0) return std::ranges::all_of(there, [&](unsigned char byte) { return byte == *written; });
      return std::memcmp(written + (where - at), there.data(), size) == 0;
    };
    const auto order_of = [&](const RaceAccess& other) {
      return is_ordered(other, shared) ? race::Order::before : race::Order::none;
    };
    cell.note(own, writes, order_of, [&](const RaceAccess& other, race::Use did) {
      if (conflict.bytes == 0 && !writes_the_same()) conflict = {other, static_cast<std::int32_t>(did), where, size};
    });
  });
  if (conflict.bytes != 0) report(conflict, kind_of_use(use), own);
}

FaultPlace RaceChecker::place_of(std::uint64_t thread) const noexcept {
  FaultPlace place{.item = -1, .block = {-1, -1, -1}, .thread = {-1, -1, -1}};
  const auto number = static_cast<std::int64_t>(thread);
  if (launch_.size >= 0) {
    place.item = number;
    return place;
  }
  std::ranges::copy(position(number / threads_, launch_.grid), place.block);
  std::ranges::copy(position(number % threads_, launch_.block), place.thread);
  return place;
}

Fault* RaceChecker::begin_fault(FaultKind kind, std::uint64_t thread, const RacePlace& place) {
  ++faults_.count;
  if (faults_.claimed != 0) return nullptr;
  faults_.claimed = 1;
  Fault& fault = faults_.first;
  fault = {};
  fault.kind = kind;
  fault.argument = -1;
  fault.place = place_of(thread);
  fault.line = place.line;
  fault.column = place.column;
  copy_text(fault.file, place.file);
  return &fault;
}

void RaceChecker::report(const Conflict& conflict, std::int32_t use, const RaceAccess& own) {
  Fault* const fault = begin_fault(FaultKind::race, own.thread - 1, table_.places[own.place]);
  if (fault == nullptr) return;
  const RacePlace& other = table_.places[conflict.other.place];
  fault->use = use;
  fault->other_use = conflict.use;
  fault->other = place_of(conflict.other.thread - 1);
  fault->other_line = other.line;
  fault->other_column = other.column;
  copy_text(fault->to, other.file);
  name(conflict.address, conflict.bytes, *fault);
}

void RaceChecker::report_missing(std::int64_t waiting, std::int64_t missing, const RacePlace& barrier) {
  Fault* const fault = begin_fault(FaultKind::barrier, block_begin_ + static_cast<std::uint64_t>(waiting), barrier);
  if (fault != nullptr) fault->other = place_of(block_begin_ + static_cast<std::uint64_t>(missing));
}

namespace {

/// Whether the address is of an element of the array, whose index the fault has then.
bool is_of_array(const RacedArray& array, std::uintptr_t address, Fault& fault) {
  auto offset = static_cast<std::int64_t>(address - number_of(array.data));
  if (array.size == 0) return false;
  if (!array.by_axes) {
    if (offset < 0 || offset >= array.size * array.item_bytes) return false;
    fault.rank = 1;
    fault.index[0] = offset / array.item_bytes;
    return true;
  }
  const std::vector<std::int64_t>& extents = array.extents;
  const std::vector<std::int64_t>& strides = array.strides;
  // By the longest stride first, from the element that lies lowest.
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return std::abs(strides[a]) > std::abs(strides[b]); });
  std::vector<std::int64_t> index(extents.size());
  for (std::size_t d = 0; d < extents.size(); ++d) offset -= std::min<std::int64_t>(strides[d], 0) * (extents[d] - 1);
  if (offset < 0) return false;
  for (const std::size_t d : order) {
    const std::int64_t stride = std::abs(strides[d]);
    const std::int64_t steps = stride == 0 ? 0 : std::min(offset / stride, extents[d] - 1);
    offset -= steps * stride;
    index[d] = strides[d] < 0 ? extents[d] - 1 - steps : steps;
  }
  if (offset >= array.item_bytes) return false;
  fault.rank = static_cast<std::int32_t>(std::min<std::size_t>(index.size(), kFaultRank));
  std::copy_n(index.begin(), fault.rank, fault.index);
  return true;
}

}  // namespace

void RaceChecker::name(std::uintptr_t address, std::size_t bytes, Fault& fault) const {
  for (const RacedArray& array : launch_.arrays) {
    if (!is_of_array(array, address, fault)) continue;
    fault.argument = array.argument;
    return;
  }
  for (const RaceVariable& each : std::span(table_.variables, static_cast<std::size_t>(table_.variable_count))) {
    const auto offset = static_cast<std::int64_t>(address - number_of(each.address));
    if (offset < 0 || offset >= each.bytes) continue;
    copy_text(fault.text, each.name);
    fault.rank = each.rank;
    std::int64_t element = offset / each.item_bytes;
    for (int d = each.rank - 1; d >= 0; --d) {
      fault.index[d] = element % each.extent[d];
      element /= each.extent[d];
    }
    return;
  }
  if (address - dynamic_ < static_cast<std::uintptr_t>(launch_.shared_bytes)) {
    copy_text(fault.text, "the dynamic shared memory");
    fault.rank = -1;
    fault.index[0] = static_cast<std::int64_t>(address - dynamic_);
    return;
  }
  fault.rank = -1;
  fault.bits = static_cast<std::int32_t>(8 * bytes);
  fault.index[0] = static_cast<std::int64_t>(address);
}

}  // namespace kiln::kinds

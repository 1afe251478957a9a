#include "emulator/memory.hpp"

#include <cstring>
#include <utility>

namespace kiln::emulator {
namespace {

constexpr std::size_t kAlignment = 256;
/// Between two allocations: who steps over the end of one is in no other.
constexpr std::size_t kGap = 4096;
constexpr int kFilling = 0xA5;

}  // namespace

Allocation* Memory::allocate(std::size_t bytes) {
  if (bytes > limit_ - used_) return nullptr;
  auto made = std::make_unique<Allocation>();
  made->room.reset(new (std::nothrow) char[bytes + 2 * kGap + kAlignment]);
  if (!made->room) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(made->room.get()) + kGap;
  made->address = made->room.get() + kGap + (kAlignment - begin % kAlignment) % kAlignment;
  made->bytes = bytes;
  made->shadow = std::make_unique<Shadow>(bytes);
  std::memset(made->address, kFilling, bytes);
  used_ += bytes;
  return all_.emplace(reinterpret_cast<std::uintptr_t>(made->address), std::move(made)).first->second.get();
}

Allocation* Memory::allocate_in_heap(std::size_t bytes, std::size_t limit) {
  if (bytes == 0 || bytes > limit - heap_) return nullptr;
  Allocation* const made = allocate(bytes);
  if (made == nullptr) return nullptr;
  made->in_heap = true;
  heap_ += bytes;
  return made;
}

bool Memory::free(std::uint64_t address) {
  const auto found = all_.find(address);
  if (found == all_.end()) return false;
  ++frees_;
  used_ -= found->second->bytes;
  if (found->second->in_heap) heap_ -= found->second->bytes;
  all_.erase(found);
  return true;
}

Allocation* Memory::near(std::uint64_t address) {
  const auto above = all_.upper_bound(address);
  return above == all_.begin() ? nullptr : std::prev(above)->second.get();
}

Allocation* Memory::find(std::uint64_t address, std::size_t bytes) {
  Allocation* const found = near(address);
  return found != nullptr && found->contains(address, bytes) ? found : nullptr;
}

}  // namespace kiln::emulator

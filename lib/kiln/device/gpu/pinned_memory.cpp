#include "device/gpu/pinned_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <string>

#include "base/page_pool.hpp"

namespace kiln::backend::gpu {
namespace {

constexpr std::size_t kPage = 4096;

// Arrays of nearly one size take each other's.
std::size_t size_of(std::size_t bytes) {
  return bytes >= base::kPagesFrom ? base::pool_size(bytes) : std::bit_ceil(std::max(bytes, kPage));
}

}  // namespace

void* PinnedMemory::take(std::size_t size) noexcept {
  const std::lock_guard guard(mutex_);
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const Block& block) { return block.bytes == size; });
  if (found == idle_.rend()) return nullptr;
  void* const address = found->address;
  idle_.erase(std::next(found).base());
  idle_bytes_ -= size;
  return address;
}

void* PinnedMemory::allocate(std::size_t bytes) {
  const std::size_t size = size_of(bytes);
  const std::string what = "allocate " + std::to_string(bytes) + " bytes of page-locked host memory";
  if (!locks()) {
    void* const address = size == 0 ? nullptr : std::aligned_alloc(kPage, size);
    if (address == nullptr) core_.fail(abi::kOutOfMemory, what);
    return address;
  }
  core_.require_usable();
  if (void* const idle = take(size)) {
    add_locked(idle, size);
    return idle;
  }
  const Current current(core_);
  void* address = nullptr;
  abi::Status status = size == 0 ? abi::kOutOfMemory : core_.calls().host_allocate(&address, size, abi::kHostPortable);
  if (status == abi::kOutOfMemory && size != 0) {
    release();
    status = core_.calls().host_allocate(&address, size, abi::kHostPortable);
  }
  if (status != abi::kSuccess) core_.fail(status, what);
  add_locked(address, size);
  return address;
}

void PinnedMemory::add_locked(void* address, std::size_t bytes) {
  const std::lock_guard guard(mutex_);
  locked_[reinterpret_cast<std::uintptr_t>(address)] = bytes;
}

void PinnedMemory::remove_locked(void* address) noexcept {
  const std::lock_guard guard(mutex_);
  locked_.erase(reinterpret_cast<std::uintptr_t>(address));
}

bool PinnedMemory::contains(const void* address, std::size_t bytes) const noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard guard(mutex_);
  const auto behind = locked_.upper_bound(at);
  if (behind == locked_.begin()) return false;
  const auto& [begin, size] = *std::prev(behind);
  return at + bytes <= begin + size;
}

void PinnedMemory::deallocate(void* address, std::size_t bytes) noexcept {
  if (address == nullptr) return;
  if (!locks()) return std::free(address);
  // On a lost device, in a forked child and after the driver's own exit there is nothing left to give back.
  if (!core_.usable()) return;
  const std::size_t size = size_of(bytes);
  remove_locked(address);
  try {
    const std::lock_guard guard(mutex_);
    idle_.push_back({address, size});
    idle_bytes_ += size;
    address = nullptr;
  } catch (const std::bad_alloc&) {
    // No room in the list: given back below.
  }
  const Current current(core_, std::nothrow);
  if (!current.ok()) return;
  if (address != nullptr) core_.calls().host_deallocate(address);
  free(drop_to(kMostIdle));
}

std::vector<PinnedMemory::Block> PinnedMemory::drop_to(std::size_t most) noexcept {
  const std::lock_guard guard(mutex_);
  std::size_t count = 0;
  std::size_t left = idle_bytes_;
  while (left > most) left -= idle_[count++].bytes;
  if (count == 0) return {};
  try {
    std::vector<Block> dropped(idle_.begin(), idle_.begin() + static_cast<std::ptrdiff_t>(count));
    idle_.erase(idle_.begin(), idle_.begin() + static_cast<std::ptrdiff_t>(count));
    idle_bytes_ = left;
    return dropped;
  } catch (const std::bad_alloc&) {
    return {};  // kept a little longer
  }
}

void PinnedMemory::release() noexcept {
  free(drop_to(0));
}

void PinnedMemory::free(const std::vector<Block>& blocks) noexcept {
  for (const Block& block : blocks) core_.calls().host_deallocate(block.address);
}

}  // namespace kiln::backend::gpu

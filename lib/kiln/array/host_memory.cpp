// Small blocks stand behind their rep; large ones are whole pages.
#include "array/host_memory.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "array/access.hpp"
#include "base/page_pool.hpp"
#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::detail {
namespace {

constexpr std::size_t kOfMalloc = 16;

[[noreturn]] void out_of_memory(std::size_t bytes, const std::string& why = "the system has no more") {
  throw Because<DeviceError>(Reason::memory, "failed to allocate " + std::to_string(bytes) + " bytes of host memory: " + why);
}

/// The memory that follows a block.
struct Tail {
  std::size_t bytes = 0;
  char* data = nullptr;
};

// Lets allocate_shared place the elements behind what it makes. malloc with room to align is faster than aligned_alloc for
// small blocks, which goes past glibc's per-thread cache. The tail is the caller's, and is not looked at when the block is
// freed.
template <class T>
struct TailAllocator {
  using value_type = T;
  Tail* tail;

  explicit TailAllocator(Tail* made) noexcept : tail(made) {}
  template <class U>
  TailAllocator(const TailAllocator<U>& other) noexcept : tail(other.tail) {}  // NOLINT(google-explicit-constructor): rebind

  T* allocate(std::size_t count) {
    const std::size_t alignment = boundary_of(static_cast<std::int64_t>(tail->bytes));
    const std::size_t begin = (count * sizeof(T) + kOfMalloc - 1) / kOfMalloc * kOfMalloc;
    auto* const block = static_cast<char*>(std::malloc(begin + alignment - kOfMalloc + tail->bytes));
    if (block == nullptr) throw std::bad_alloc();
    const auto after = reinterpret_cast<std::uintptr_t>(block + begin);
    tail->data = block + begin + (alignment - after % alignment) % alignment;
    return reinterpret_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t) noexcept { std::free(block); }
  friend bool operator==(const TailAllocator&, const TailAllocator&) noexcept { return true; }
};

std::shared_ptr<ArrayRep> allocate_pages(std::size_t bytes, bool zeroed) {
  base::PagePool& pool = base::page_pool();
  void* const data = pool.allocate(bytes, zeroed);
  if (data == nullptr) out_of_memory(bytes, pool.why_none(bytes));
  try {
    std::shared_ptr<void> owner(data, [&pool, bytes](void* address) noexcept { pool.deallocate(address, bytes); });
    auto rep = std::make_shared<ArrayRep>();
    rep->data = static_cast<char*>(data);
    rep->buffer = std::move(owner);
    return rep;
  } catch (const std::bad_alloc&) {
    out_of_memory(bytes);
  }
}

}  // namespace

std::shared_ptr<ArrayRep> allocate_host(std::size_t bytes, bool zeroed) {
  if (bytes >= base::kPagesFrom) return allocate_pages(bytes, zeroed);
  Tail tail{.bytes = bytes};
  try {
    auto rep = std::allocate_shared<ArrayRep>(TailAllocator<ArrayRep>(&tail));
    rep->data = tail.data;
    rep->holds_elements = true;
    if (zeroed) std::memset(rep->data, 0, bytes);
    return rep;
  } catch (const std::bad_alloc&) {
    out_of_memory(bytes);
  }
}

}  // namespace kiln::detail

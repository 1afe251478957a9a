// Small blocks lie behind their control block; large ones are whole pages.
#include "array/host_memory.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "base/page_pool.hpp"
#include "kiln/error.hpp"

namespace kiln::detail {
namespace {

constexpr std::size_t kAlignment = 64;

[[noreturn]] void out_of_memory(std::size_t bytes, const std::string& why = "the system has no more") {
  throw DeviceError("failed to allocate " + std::to_string(bytes) + " bytes of host memory: " + why);
}

struct Nothing {};

// Lets allocate_shared place the control block in front of `bytes` bytes of data. malloc with room to align is 3 times
// faster than aligned_alloc for small blocks, which goes past glibc's per-thread cache.
template <class T>
struct TailAllocator {
  using value_type = T;
  std::size_t bytes;
  char** data;

  TailAllocator(std::size_t tail_bytes, char** address) noexcept : bytes(tail_bytes), data(address) {}
  template <class U>
  TailAllocator(const TailAllocator<U>& other) noexcept  // NOLINT(google-explicit-constructor): allocators rebind
      : bytes(other.bytes), data(other.data) {}

  T* allocate(std::size_t count) {
    void* block = std::malloc(count * sizeof(T) + kAlignment + bytes);
    if (block == nullptr) throw std::bad_alloc();
    const auto after = reinterpret_cast<std::uintptr_t>(block) + count * sizeof(T);
    *data = reinterpret_cast<char*>((after + kAlignment - 1) / kAlignment * kAlignment);
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t) noexcept { std::free(block); }
  friend bool operator==(const TailAllocator&, const TailAllocator&) noexcept { return true; }
};

HostMemory allocate_pages(std::size_t bytes, bool zeroed) {
  base::PagePool& pool = base::page_pool();
  void* const data = pool.allocate(bytes, zeroed);
  if (data == nullptr) out_of_memory(bytes, pool.why_none(bytes));
  try {
    return {std::shared_ptr<void>(data, [&pool, bytes](void* address) noexcept { pool.deallocate(address, bytes); }),
            static_cast<char*>(data)};
  } catch (const std::bad_alloc&) {
    out_of_memory(bytes);
  }
}

}  // namespace

HostMemory allocate_host(std::size_t bytes, bool zeroed) {
  if (bytes >= base::kPagesFrom) return allocate_pages(bytes, zeroed);
  HostMemory memory;
  try {
    memory.owner = std::allocate_shared<Nothing>(TailAllocator<Nothing>(bytes, &memory.data));
  } catch (const std::bad_alloc&) {
    out_of_memory(bytes);
  }
  if (zeroed) std::memset(memory.data, 0, bytes);
  return memory;
}

}  // namespace kiln::detail

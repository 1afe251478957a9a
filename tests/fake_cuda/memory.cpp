#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace fake_cuda {
namespace {

constexpr std::size_t kAlignment = 256;    // cuMemAlloc's
constexpr std::size_t kNobodys = 1 << 20;  // on each side: address space costs nothing
constexpr int kGuard = 0xb5;               // around an allocation
constexpr int kFresh = 0xa5;               // in it: neither zero nor a number that anybody computes

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t rounded_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

bool untouched(const char* begin, const char* end) {
  return std::all_of(begin, end, [](char c) { return c == static_cast<char>(kGuard); });
}

}  // namespace

void* Memory::allocate(std::size_t bytes, std::size_t limit) {
  if (used_ > limit || bytes > limit - used_) return nullptr;
  const std::size_t inner = rounded_up(bytes, page_bytes());
  const std::size_t whole = inner + 2 * kNobodys;
  void* const mapped = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* const pages = static_cast<char*>(mapped);
  char* const begin = pages + kNobodys;
  mprotect(begin, inner, PROT_READ | PROT_WRITE);
  // At the end of its pages, as near as the alignment lets it be: reading past it faults.
  char* const address = begin + (inner - rounded_up(bytes, kAlignment));
  std::memset(begin, kGuard, static_cast<std::size_t>(address - begin));
  std::memset(address, kFresh, bytes);
  std::memset(address + bytes, kGuard, static_cast<std::size_t>(begin + inner - (address + bytes)));
  blocks_[address] = {pages, whole, bytes};
  used_ += bytes;
  return address;
}

bool Memory::free(void* address) {
  const auto found = blocks_.find(static_cast<char*>(address));
  if (found == blocks_.end()) return false;
  used_ -= found->second.bytes;
  munmap(found->second.pages, found->second.page_bytes);
  blocks_.erase(found);
  return true;
}

bool Memory::contains(const void* address, std::size_t bytes) const {
  const char* const first = static_cast<const char*>(address);
  const auto next =
      std::upper_bound(blocks_.begin(), blocks_.end(), first, [](const char* a, const auto& block) { return a < block.first; });
  if (next == blocks_.begin()) return false;
  const auto& [start, block] = *std::prev(next);
  return first + bytes <= start + block.bytes;
}

const void* Memory::overrun() const {
  for (const auto& [address, block] : blocks_) {
    const char* const begin = block.pages + kNobodys;
    const char* const end = block.pages + block.page_bytes - kNobodys;
    if (!untouched(begin, address) || !untouched(address + block.bytes, end)) return address;
  }
  return nullptr;
}

}  // namespace fake_cuda

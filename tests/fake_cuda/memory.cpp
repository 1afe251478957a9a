#include "memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace fake_cuda {
namespace {

constexpr std::size_t kAlignment = 256;  // cuMemAlloc's
constexpr int kFresh = 0xa5;             // neither zero nor a number that anybody computes

}  // namespace

void* Memory::allocate(std::size_t bytes, std::size_t limit) {
  if (used_ > limit || bytes > limit - used_) return nullptr;
  void* const address = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (address == nullptr) return nullptr;
  std::memset(address, kFresh, bytes);
  bytes_[static_cast<char*>(address)] = bytes;
  used_ += bytes;
  return address;
}

bool Memory::free(void* address) {
  const auto found = bytes_.find(static_cast<char*>(address));
  if (found == bytes_.end()) return false;
  used_ -= found->second;
  std::free(address);
  bytes_.erase(found);
  return true;
}

bool Memory::contains(const void* address, std::size_t bytes) const {
  const char* const first = static_cast<const char*>(address);
  const auto next = bytes_.upper_bound(const_cast<char*>(first));
  if (next == bytes_.begin()) return false;
  const auto& [start, count] = *std::prev(next);
  return first + bytes <= start + count;
}

}  // namespace fake_cuda

#include "arena.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <iterator>

namespace kiln_amd {
namespace {

constexpr std::size_t kAlignment = 256;        // hipMalloc's
constexpr std::size_t kBetween = 4096;         // nobody's: what runs over an allocation is not in the next
constexpr std::size_t kExecutors = 256 << 20;  // at the beginning: arguments of launches, constants of modules
constexpr int kFresh = 0xa5;                   // neither zero nor a number that anybody computes

}  // namespace

Arena::Arena(std::size_t bytes) : bytes_(bytes) {
  file_ = memfd_create("kiln-amd", 0);  // inherited by the executor
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(bytes)) != 0) return;
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (mapped != MAP_FAILED) base_ = static_cast<char*>(mapped);
}

Arena::~Arena() {
  if (base_ != nullptr) munmap(base_, bytes_);
  if (file_ >= 0) close(file_);
}

void* Arena::allocate(std::size_t bytes) {
  if (base_ == nullptr || bytes > bytes_) return nullptr;
  // The first gap that has room. Tests hold tens of allocations.
  char* at = base_ + kExecutors;
  for (const auto& [begin, size] : blocks_) {
    if (at + bytes + kBetween <= begin) break;
    const std::size_t end = static_cast<std::size_t>(begin - base_) + size + kBetween;
    at = base_ + (end + kAlignment - 1) / kAlignment * kAlignment;
  }
  if (static_cast<std::size_t>(at - base_) + bytes + kBetween > bytes_) return nullptr;
  std::memset(at, kFresh, bytes);
  blocks_[at] = bytes;
  return at;
}

bool Arena::free(void* address) {
  return blocks_.erase(static_cast<char*>(address)) != 0;
}

bool Arena::contains(const void* address, std::size_t bytes) const {
  const auto next = blocks_.upper_bound(const_cast<char*>(static_cast<const char*>(address)));
  if (next == blocks_.begin()) return false;
  const auto& [begin, size] = *std::prev(next);
  return static_cast<const char*>(address) + bytes <= begin + size;
}

}  // namespace kiln_amd

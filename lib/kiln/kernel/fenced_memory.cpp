#include "kernel/fenced_memory.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace kiln::kinds {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kPages = std::size_t{64} << 10;  // whole pages on every machine

std::size_t rounded(std::size_t bytes, std::size_t to) noexcept {
  return (bytes + to - 1) / to * to;
}

}  // namespace

FencedMemory::FencedMemory(std::size_t bytes) {
  const std::size_t lines = rounded(bytes, kLine);
  const std::size_t inside = rounded(lines, kPages);
  if (inside < bytes || inside + 2 * kPages < inside) throw std::bad_alloc();
  mapped_ = inside + 2 * kPages;
  void* const mapping = ::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = mapping;
  std::byte* const begin = static_cast<std::byte*>(mapping) + kPages;
  if (inside > 0 && ::mprotect(begin, inside, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(mapping_, mapped_);
    throw std::bad_alloc();
  }
  data_ = begin + (inside - lines);
}

FencedMemory::~FencedMemory() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
}

FencedMemory::FencedMemory(FencedMemory&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)), mapped_(other.mapped_), data_(std::exchange(other.data_, nullptr)) {}

FencedMemory& FencedMemory::operator=(FencedMemory&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  return *this;
}

}  // namespace kiln::kinds

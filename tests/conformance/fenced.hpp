// Memory that ends where it ends: what reads or writes beyond it faults.
#pragma once

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace conformance {

/// Bytes between two pages that fault when they are touched, at the end or at the beginning of what lies between.
class Fenced {
 public:
  Fenced(std::size_t bytes, bool at_end) : bytes_(bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inside = (bytes + page - 1) / page * page;
    mapped_ = inside + 2 * page;
    map_ = static_cast<char*>(mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(map_ != MAP_FAILED);
    REQUIRE(mprotect(map_ + page, inside, PROT_READ | PROT_WRITE) == 0);
    data_ = map_ + page + (at_end ? inside - bytes : 0);
    std::memset(data_, 0x55, bytes);
  }
  ~Fenced() { munmap(map_, mapped_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  [[nodiscard]] char* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  std::size_t mapped_ = 0;
  char* map_ = nullptr;
  char* data_ = nullptr;
};

}  // namespace conformance

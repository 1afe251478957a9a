// The fake drivers' device memory: host memory of its own pages, between pages that nobody may touch. Not thread-safe.
#pragma once

#include <cstddef>
#include <map>

namespace fake_cuda {

class Memory {
 public:
  /// `bytes` bytes aligned as CUDA's are, filled with what no test expects; null where less than that is left of `limit`.
  void* allocate(std::size_t bytes, std::size_t limit);
  /// False where it is no allocation's address.
  bool free(void* address);
  [[nodiscard]] bool contains(const void* address, std::size_t bytes) const;
  [[nodiscard]] std::size_t count() const { return blocks_.size(); }
  /// An allocation beside which somebody wrote, since allocate(); null where there is none.
  [[nodiscard]] const void* overrun() const;

 private:
  struct Block {
    char* pages;
    std::size_t page_bytes, bytes;
  };
  std::map<char*, Block> blocks_;
  std::size_t used_ = 0;
};

}  // namespace fake_cuda

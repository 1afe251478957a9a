// The fake driver's device memory, which is the host's. Not thread-safe.
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
  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::size_t count() const { return bytes_.size(); }

 private:
  std::map<char*, std::size_t> bytes_;
  std::size_t used_ = 0;
};

}  // namespace fake_cuda

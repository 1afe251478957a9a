// Device memory that two processes see: the test's, and the executor's, which maps the same file.
#pragma once

#include <cstddef>
#include <map>

namespace kiln_amd {

/// Not locked: callers hold the runtime's mutex.
class Arena {
 public:
  /// Maps `bytes` of address space. Addresses on the device are those of this mapping.
  explicit Arena(std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Filled with garbage. Null where there is no room.
  void* allocate(std::size_t bytes);
  /// False where nothing begins at that address.
  bool free(void* address);
  /// Whether one allocation has all of these bytes.
  [[nodiscard]] bool contains(const void* address, std::size_t bytes) const;

  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] char* base() const { return base_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Begin and bytes of each allocation.
  [[nodiscard]] const std::map<char*, std::size_t>& blocks() const { return blocks_; }

 private:
  int file_ = -1;
  char* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::map<char*, std::size_t> blocks_;
};

}  // namespace kiln_amd

// Scalars whose values are part of the kernel, "constant" in a signature: the values of a call as a key, and how many keys of a
// definition have kernels of their own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>

#include "base/table.hpp"
#include "call/variant_table.hpp"
#include "device/kernel_abi.hpp"
#include "kiln/device.hpp"
#include "kiln/diagnostic.hpp"
#include "kiln/dtype.hpp"

namespace kiln::call {

/// A bit for each input that is constant.
using ConstantInputs = std::uint32_t;

/// The device, and the dtypes and values of the constants.
class ConstantKey {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): bytes behind the length are never read
  explicit ConstantKey(const Device& device) noexcept : device_(device) {}

  void add(DType dtype, const void* value) noexcept {
    bytes_[length_++] = static_cast<unsigned char>(dtype);
    std::memcpy(bytes_.data() + length_, value, itemsize(dtype));
    length_ += itemsize(dtype);
  }
  [[nodiscard]] const Device& device() const noexcept { return device_; }
  [[nodiscard]] std::uint64_t hash() const noexcept {
    return base::KeyHash().add(hash_of(device_)).add_bytes(bytes_.data(), length_).value();
  }
  friend bool operator==(const ConstantKey& a, const ConstantKey& b) noexcept {
    return a.length_ == b.length_ && std::memcmp(a.bytes_.data(), b.bytes_.data(), a.length_) == 0 && a.device_ == b.device_;
  }

 private:
  Device device_;
  std::size_t length_ = 0;
  std::array<unsigned char, 17 * std::size_t{backend::kMaxOperands}> bytes_;
};

/// How many keys have kernels of their own, on each device. Thread-safe.
class ConstantLimit {
 public:
  /// What `table` has for the key; where there is nothing and the device has fewer than `most` keys, what make() gives is
  /// added. Else null.
  template <class Value, class Make>
  Value* find_or_make(base::Table<ConstantKey, Value>& table, const ConstantKey& key, int most, const Make& make) {
    if (Value* const known = table.find(key)) return known;
    if (std::atomic<int>* const count = counts_.find(ConstantKey(key.device())); count != nullptr && *count >= most)
      return nullptr;
    const std::lock_guard lock(mutex_);
    if (Value* const known = table.find(key)) return known;
    std::atomic<int>* const known = counts_.find(ConstantKey(key.device()));
    std::atomic<int>& count = known != nullptr ? *known : counts_.add(ConstantKey(key.device()), 0);
    if (count >= most) return nullptr;
    ++count;
    return &table.add(key, make());
  }
  /// True once for each device: the first value that had to run the plain kernel.
  [[nodiscard]] bool is_first_refusal(const Device& device);

 private:
  std::mutex mutex_;
  // Of each device: its key without constants.
  base::Table<ConstantKey, std::atomic<int>> counts_;
  base::Table<ConstantKey, std::atomic<bool>> refused_;
};

/// The warning of a definition whose constants had more than `most` values on the device. `names`: "input 1 (n)".
[[nodiscard]] Diagnostic limit_warning(const std::string& kernel, const std::string& names, const Device& device, int most);

}  // namespace kiln::call

// Where a GPU's memory comes from.
#include "device/gpu/memory.hpp"

#include "device/out_of_memory.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "base/byte_count.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"

namespace kiln::backend::gpu {
namespace {

/// Whole words: elements of one and two bytes are changed within theirs.
std::size_t in_words(std::size_t bytes) noexcept {
  constexpr std::size_t kWord = 4;
  return std::max<std::size_t>((bytes + kWord - 1) / kWord, 1) * kWord;
}

constexpr std::uintptr_t kAlignment = 256;
constexpr const char* kLimitVariable = "KILN_DEVICE_MEMORY_LIMIT";

}  // namespace

DeviceMemory::DeviceMemory(const Core& core) : core_(core) {
  create_pool();
  const std::optional<std::string> wish = base::env(kLimitVariable);
  if (!wish || wish->empty()) return;
  const std::optional<std::uint64_t> bytes = base::parse_bytes(*wish);
  if (!bytes || *bytes >= static_cast<std::uint64_t>(kNoLimit)) {
    base::tell_line(std::string(kLimitVariable) + " is \"" + *wish +
                    "\", which is no number of bytes; there is no limit; write it as 500M or 2G");
  } else {
    set_limit(static_cast<std::int64_t>(*bytes));
  }
}

void DeviceMemory::create_pool() {
  const DriverTable& calls = core_.calls();
  if (calls.pool_create == nullptr || calls.pool_set == nullptr || calls.pool_trim == nullptr ||
      calls.pool_allocate == nullptr || calls.pool_deallocate == nullptr) {
    return;
  }
  int supported = 0;
  // An older runtime does not know the attribute: no pool then.
  if (calls.device_attribute(&supported, core_.dialect().attribute.memory_pools, core_.device()) != abi::kSuccess ||
      supported == 0) {
    return;
  }
  const Current current(core_);
  abi::PoolProps properties;
  properties.location_id = core_.device();
  // A pool of our own: the device's default pool is the host program's to tune. What is freed stays in it, so that the next
  // allocation of the size costs a microsecond instead of a trip to the operating system.
  if (calls.pool_create(&pool_, &properties) != abi::kSuccess) {
    pool_ = nullptr;
    return;
  }
  std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
  // Runtimes that have pools in name alone fail here or at the first allocation: memory comes from the driver then.
  void* address = nullptr;
  if (calls.pool_set(pool_, abi::kPoolReleaseThreshold, &threshold) != abi::kSuccess) {
    pool_ = nullptr;
    return;
  }
  if (!core_.dialect().tries_pools) return;
  if (take(&address, 1, nullptr) == abi::kSuccess) {
    calls.pool_deallocate(address, nullptr);
  } else if (calls.allocate(&address, 1) == abi::kSuccess) {
    // Nor is it that the device is full.
    calls.deallocate(address);
    pool_ = nullptr;
  }
}

bool DeviceMemory::count(std::size_t bytes) noexcept {
  const auto more = static_cast<std::int64_t>(bytes);
  const std::int64_t used = used_.fetch_add(more, std::memory_order_relaxed) + more;
  if (used > limit_.load(std::memory_order_relaxed)) {
    used_.fetch_sub(more, std::memory_order_relaxed);
    return false;
  }
  allocations_.fetch_add(1, std::memory_order_relaxed);
  for (std::int64_t peak = peak_.load(std::memory_order_relaxed);
       used > peak && !peak_.compare_exchange_weak(peak, used, std::memory_order_relaxed);) {
  }
  return true;
}

void DeviceMemory::uncount(std::size_t bytes) noexcept {
  used_.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  allocations_.fetch_sub(1, std::memory_order_relaxed);
}

abi::Status DeviceMemory::take(void** address, std::size_t bytes, abi::Handle stream) const noexcept {
  if (pool_ == nullptr) return core_.calls().allocate(address, bytes);
  const abi::Status status = core_.calls().pool_allocate(address, bytes, pool_, stream);
  // What HIP's runtime answers where there is no memory left (ROCm/clr, hip_mempool.cpp).
  return status == abi::kSuccess && *address == nullptr ? abi::kOutOfMemory : status;
}

abi::Status DeviceMemory::take_from_user(void** address, std::size_t bytes, abi::Handle stream,
                                         const std::shared_ptr<const Allocator>& user) {
  try {
    *address = user->functions.allocate(bytes, user->device, stream);
  } catch (const std::bad_alloc&) {
    return abi::kOutOfMemory;
  }
  if (*address == nullptr) return abi::kOutOfMemory;
  if (reinterpret_cast<std::uintptr_t>(*address) % kAlignment != 0) {
    user->functions.deallocate(*address, bytes, user->device, stream);
    throw DeviceError("the allocator that set_allocator() was given for " + core_.name() + " gave an address that is not " +
                      "aligned to " + std::to_string(kAlignment) + " bytes");
  }
  try {
    const std::lock_guard guard(user_mutex_);
    user_blocks_.emplace(*address, user);
  } catch (const std::bad_alloc&) {
    user->functions.deallocate(*address, bytes, user->device, stream);
    return abi::kOutOfMemory;
  }
  return abi::kSuccess;
}

abi::Status DeviceMemory::allocate(void** address, std::size_t bytes, abi::Handle stream) {
  const std::size_t wanted = in_words(bytes);
  if (!count(wanted)) return abi::kOutOfMemory;
  std::shared_ptr<const Allocator> user;
  if (has_user_.load(std::memory_order_acquire)) {
    const std::lock_guard guard(user_mutex_);
    user = user_;
  }
  try {
    const abi::Status status = user ? take_from_user(address, wanted, stream, user) : take(address, wanted, stream);
    if (status != abi::kSuccess) uncount(wanted);
    return status;
  } catch (...) {
    uncount(wanted);
    throw;
  }
}

void DeviceMemory::fail(abi::Status status, std::size_t bytes) const {
  const std::string what = "allocate " + std::to_string(bytes) + " bytes";
  if (status != abi::kOutOfMemory) core_.fail(status, what);
  const MemoryStats now = stats();
  const std::string sizes = "; " + std::to_string(now.used) + " bytes are in use in " + std::to_string(now.allocations) +
                            (now.allocations == 1 ? " allocation, " : " allocations, ") + std::to_string(now.kept) +
                            " are kept" + (now.free ? ", " + std::to_string(*now.free) + " of " : ", of ") + "the device's " +
                            std::to_string(now.total) + (now.free ? " are free" : "");
  if (now.limit && static_cast<std::int64_t>(in_words(bytes)) > *now.limit - now.used) {
    throw OutOfMemory("failed to " + what + " on " + core_.name() + ": the limit is " + std::to_string(*now.limit) +
                      " bytes (kiln::set_memory_limit, " + kLimitVariable + ")" + sizes);
  }
  const DeviceError plain = core_.driver().error(status, what, core_.index());
  throw OutOfMemory(plain.what() + sizes, status, plain.code_name());
}

bool DeviceMemory::give_to_user(void* address, std::size_t bytes, abi::Handle stream) noexcept {
  std::shared_ptr<const Allocator> user;
  {
    const std::lock_guard guard(user_mutex_);
    const auto found = user_blocks_.find(address);
    if (found == user_blocks_.end()) return false;
    user = std::move(found->second);
    user_blocks_.erase(found);
  }
  user->functions.deallocate(address, bytes, user->device, stream);
  return true;
}

void DeviceMemory::deallocate(void* address, std::size_t bytes, abi::Handle stream) noexcept {
  const std::size_t counted = in_words(bytes);
  uncount(counted);
  if (has_user_.load(std::memory_order_acquire) && give_to_user(address, counted, stream)) return;
  if (pool_ != nullptr) {
    core_.calls().pool_deallocate(address, stream);
  } else {
    core_.calls().deallocate(address);
  }
}

void DeviceMemory::trim() noexcept {
  if (pool_ != nullptr) core_.calls().pool_trim(pool_, 0);
}

MemoryStats DeviceMemory::stats() const {
  const DriverTable& calls = core_.calls();
  MemoryStats stats;
  stats.used = used_.load();
  stats.peak = peak_.load();
  stats.allocations = allocations_.load();
  if (const std::int64_t limit = limit_.load(); limit != kNoLimit) stats.limit = limit;
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  if (pool_ != nullptr && calls.pool_get != nullptr &&
      calls.pool_get(pool_, abi::kPoolReservedBytes, &reserved) == abi::kSuccess &&
      calls.pool_get(pool_, abi::kPoolUsedBytes, &used) == abi::kSuccess && reserved > used) {
    stats.kept = static_cast<std::int64_t>(reserved - used);
  }
  std::size_t free = 0;
  std::size_t total = 0;
  if (calls.memory_info != nullptr && calls.memory_info(&free, &total) == abi::kSuccess) {
    stats.free = static_cast<std::int64_t>(free);
  } else {
    calls.device_memory(&total, core_.device());
  }
  stats.total = static_cast<std::int64_t>(total);
  return stats;
}

void DeviceMemory::set_limit(std::optional<std::int64_t> bytes) noexcept {
  limit_.store(bytes.value_or(kNoLimit));
  if (pool_ == nullptr) return;
  // The pool gives back what is above this at the next wait, so that what it keeps is within the limit, too.
  std::uint64_t threshold = bytes ? static_cast<std::uint64_t>(*bytes) : std::numeric_limits<std::uint64_t>::max();
  core_.calls().pool_set(pool_, abi::kPoolReleaseThreshold, &threshold);
}

void DeviceMemory::set_allocator(const Device& device, MemoryAllocator functions) {
  std::shared_ptr<const Allocator> made;
  if (functions.allocate) made = std::make_shared<const Allocator>(Allocator{device, std::move(functions)});
  const std::lock_guard guard(user_mutex_);
  user_ = std::move(made);
  if (user_) has_user_.store(true, std::memory_order_release);
}

}  // namespace kiln::backend::gpu

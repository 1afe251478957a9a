// Page-locked host memory: arrays that are made in it, and arrays that are registered for a while.
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "array/access.hpp"
#include "array/rep.hpp"
#include "device/backend.hpp"
#include "kiln/error.hpp"
#include "kiln/host_memory.hpp"
#include "registry/registry.hpp"

namespace kiln {
namespace detail {
namespace {

/// Null for the CPU, which has nothing to page-lock for.
backend::Backend* locking_backend(const Device& device) {
  return device.is_cpu() ? nullptr : &backend::backend_for(device);
}

/// The memory that is registered, of the whole process: drivers refuse a page that is locked twice, and count nothing.
class Table {
 public:
  /// False, and nothing done, where the bytes overlap registered memory and are not within it.
  bool add(backend::Backend* backend, std::uintptr_t begin, std::uintptr_t end, bool read_only) {
    const std::lock_guard guard(mutex_);
    Ranges& ranges = all_[backend];
    const auto behind = ranges.lower_bound(end);
    if (behind != ranges.begin()) {
      const auto last = std::prev(behind);
      if (last->second.end > begin) {
        if (last->first > begin || last->second.end < end) return false;
        ++last->second.count;
        return true;
      }
    }
    Range& made = ranges[begin];
    made.end = end;
    try {
      made.locked = backend != nullptr && backend->register_host(reinterpret_cast<void*>(begin), end - begin, read_only);
    } catch (...) {
      ranges.erase(begin);
      throw;
    }
    return true;
  }

  void remove(backend::Backend* backend, std::uintptr_t begin) noexcept {
    const std::lock_guard guard(mutex_);
    Ranges& ranges = all_[backend];
    const auto found = std::prev(ranges.upper_bound(begin));
    if (--found->second.count != 0) return;
    if (found->second.locked) backend->unregister_host(reinterpret_cast<void*>(found->first));
    ranges.erase(found);
  }

 private:
  struct Range {
    std::uintptr_t end = 0;
    std::size_t count = 1;
    bool locked = false;
  };
  using Ranges = std::map<std::uintptr_t, Range>;  // by where they begin; none overlaps another

  std::mutex mutex_;
  std::map<backend::Backend*, Ranges> all_;
};

Table& table() {
  // Never destroyed: registrations in static storage end after it would.
  static auto* const one = new Table;
  return *one;
}

}  // namespace

/// What one call has registered.
struct Registered {
  backend::Backend* backend = nullptr;
  std::vector<std::uintptr_t> begins;
  std::vector<Array> arrays;

  ~Registered() {
    for (const std::uintptr_t begin : begins) table().remove(backend, begin);
  }
  Registered() = default;
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
};

}  // namespace detail

using detail::ArrayRep;

Array pinned(const Shape& shape, DType dtype, Order order, const Device& device) {
  backend::Backend* const backend = detail::locking_backend(device);
  if (backend == nullptr) return Array::empty(shape, dtype, order);
  const auto item = static_cast<std::int64_t>(itemsize(dtype));
  const auto bytes = static_cast<std::size_t>(detail::checked_size(shape, item) * item);
  ArrayRep rep;
  void* const address = backend->allocate_pinned(bytes);
  rep.buffer =
      std::shared_ptr<void>(address, [backend, bytes](void* memory) noexcept { backend->deallocate_pinned(memory, bytes); });
  rep.data = static_cast<char*>(address);
  rep.shape = shape;
  rep.strides = detail::packed_strides(shape, item, order);
  rep.dtype = dtype;
  return detail::make_array(std::move(rep));
}

HostRegistration::HostRegistration() noexcept = default;
HostRegistration::HostRegistration(HostRegistration&&) noexcept = default;
HostRegistration& HostRegistration::operator=(HostRegistration&&) noexcept = default;
HostRegistration::~HostRegistration() = default;

void HostRegistration::deregister() noexcept {
  registered_.reset();
}

HostRegistration register_host(std::span<const Array> arrays, const Device& device) {
  auto registered = std::make_unique<detail::Registered>();
  registered->backend = detail::locking_backend(device);
  registered->begins.reserve(arrays.size());
  registered->arrays.assign(arrays.begin(), arrays.end());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const ArrayRep& rep = detail::rep_of(arrays[i]);
    const std::string which = "register_host: array " + std::to_string(i);
    if (!detail::host_readable(rep)) {
      throw TypeError(which + " is on " + to_string(rep.device) + ": give arrays in host memory");
    }
    const detail::Extent extent = detail::covered(rep);
    if (extent.low == extent.high) continue;
    const auto at = reinterpret_cast<std::uintptr_t>(rep.data);
    const std::uintptr_t begin = at + static_cast<std::uintptr_t>(extent.low);
    if (!detail::table().add(registered->backend, begin, at + static_cast<std::uintptr_t>(extent.high), rep.read_only)) {
      throw DeviceError(which + " of shape " + to_string(rep.shape) +
                        " overlaps memory that is registered already, and is not within it: register the array that spans "
                        "both, before its parts");
    }
    registered->begins.push_back(begin);
  }
  HostRegistration result;
  result.registered_ = std::move(registered);
  return result;
}

}  // namespace kiln

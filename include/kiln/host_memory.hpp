// Host memory that a GPU's driver reads and writes itself, without a copy on the way: page-locked arrays, and arrays of the
// program's own that are page-locked for a while. On the CPU both do nothing.
#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <span>

#include "kiln/array.hpp"
#include "kiln/device.hpp"
#include "kiln/export.hpp"

namespace kiln {

namespace detail {
struct Registered;  // lib/kiln/array/host_registration.cpp
}

/// A new host array, whose memory is page-locked for GPUs of the device's vendor: copies between it and a GPU run at the speed
/// of the link, and those on a stream wait for nothing. Elements of no certain value. Freed memory is kept for later ones (256
/// MiB at most), since page-locking costs more than a copy. Ordinary memory where the device is a CPU, or its driver has no
/// page-locked one. ShapeError as of other host arrays; DeviceError where there is not so much, or no such device. Thread-safe.
[[nodiscard]] KILN_API Array pinned(const Shape& shape, DType dtype, Order order = Order::c,
                                    const Device& device = Device::best());

/// The host memory of some arrays, page-locked until deregister() or the end of this object. Movable. Not to be used by two
/// threads at once.
class KILN_API HostRegistration {
 public:
  /// Of nothing.
  HostRegistration() noexcept;
  HostRegistration(HostRegistration&&) noexcept;
  /// Ends what it had.
  HostRegistration& operator=(HostRegistration&&) noexcept;
  HostRegistration(const HostRegistration&) = delete;
  HostRegistration& operator=(const HostRegistration&) = delete;
  /// deregister()
  ~HostRegistration();

  /// Waits for the device's work, which may use the memory, and gives it back to the system's paging. Again: nothing. Never
  /// throws.
  void deregister() noexcept;
  /// Whether it still stands.
  [[nodiscard]] bool active() const noexcept { return registered_ != nullptr; }

 private:
  friend KILN_API HostRegistration register_host(std::span<const Array> arrays, const Device& device);
  std::unique_ptr<detail::Registered> registered_;
};

/// Page-locks the memory between the first and the last element of each host array, for GPUs of the device's vendor, and keeps
/// the arrays. Nothing is done for arrays without elements, on a CPU, where the memory is page-locked already (pinned(), the
/// program's own cudaHostRegister), and where the driver has no such call. An array within memory that is registered already
/// counts: the memory stays page-locked until the last of these registrations ends. Read-only arrays can be registered.
/// TypeError for an array on a GPU, DeviceError for one that overlaps registered memory and is not within it, and where the
/// driver refuses; then none of the arrays is registered. Thread-safe.
[[nodiscard]] KILN_API HostRegistration register_host(std::span<const Array> arrays, const Device& device = Device::best());
/// The same: register_host({a, b}, device).
[[nodiscard]] inline HostRegistration register_host(std::initializer_list<Array> arrays,
                                                    const Device& device = Device::best()) {
  return register_host(std::span<const Array>(arrays.begin(), arrays.size()), device);
}
/// The same for the best device: register_host(a, b).
template <std::same_as<Array>... More>
[[nodiscard]] HostRegistration register_host(const Array& array, const More&... more) {
  return register_host({array, more...});
}

}  // namespace kiln

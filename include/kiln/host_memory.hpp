// Host memory that a GPU's driver reads and writes directly, without an intermediate copy: page-locked arrays, and the
// program's own arrays, page-locked temporarily. On the CPU both have no effect.
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
struct Registered;  // defined in lib/kiln/array/host_registration.cpp
}

/// Returns a new, uninitialized host array whose memory is page-locked for GPUs of the device's vendor. Copies between it and a
/// GPU run at the speed of the link. Copies on a stream wait for nothing. Thread-safe.
///
/// Freed memory is pooled for later arrays (256 MiB at most), since page-locking costs more than a copy. The memory is ordinary
/// if the device is a CPU, or if its driver has no page-locked memory.
///
/// Throws ShapeError by the rules of host arrays, DeviceError if memory is insufficient or the device does not exist.
[[nodiscard]] KILN_API Array pinned(const Shape& shape, DType dtype, Order order = Order::c,
                                    const Device& device = Device::best());

/// The host memory of some arrays, page-locked until deregister() or the end of this object. Movable. Two threads must not use
/// one object at once.
class KILN_API HostRegistration {
 public:
  /// Constructs an object that registers nothing.
  HostRegistration() noexcept;
  HostRegistration(HostRegistration&&) noexcept;
  /// Deregisters its memory and takes the other's over.
  HostRegistration& operator=(HostRegistration&&) noexcept;
  HostRegistration(const HostRegistration&) = delete;
  HostRegistration& operator=(const HostRegistration&) = delete;
  /// Calls deregister().
  ~HostRegistration();

  /// Waits for the device's work, which may use the memory, and makes the memory pageable again. A second call has no effect.
  /// Does not throw.
  void deregister() noexcept;
  /// Returns true while the memory is registered.
  [[nodiscard]] bool active() const noexcept { return registered_ != nullptr; }

 private:
  friend KILN_API HostRegistration register_host(std::span<const Array> arrays, const Device& device);
  std::unique_ptr<detail::Registered> registered_;
};

/// Page-locks the memory between the first and the last element of each host array, for GPUs of the device's vendor. The result
/// keeps the arrays alive. Read-only arrays can be registered. Thread-safe.
///
/// Nothing is done for arrays without elements, on a CPU, and if the driver has no such call. Nothing is done for memory that
/// is page-locked already (pinned(), the program's own cudaHostRegister).
///
/// An array inside registered memory counts as another registration: the memory stays page-locked until the last of these ends.
///
/// Throws TypeError for an array on a GPU. Throws DeviceError for an array that overlaps registered memory without being inside
/// it, and if the driver refuses. If the call throws, none of the arrays is registered.
[[nodiscard]] KILN_API HostRegistration register_host(std::span<const Array> arrays, const Device& device = Device::best());
/// Registers a list of arrays: register_host({a, b}, device).
[[nodiscard]] inline HostRegistration register_host(std::initializer_list<Array> arrays,
                                                    const Device& device = Device::best()) {
  return register_host(std::span<const Array>(arrays.begin(), arrays.size()), device);
}
/// Registers arrays for the best device: register_host(a, b).
template <std::same_as<Array>... More>
[[nodiscard]] HostRegistration register_host(const Array& array, const More&... more) {
  return register_host({array, more...});
}

}  // namespace kiln

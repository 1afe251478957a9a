// Where a call runs: the first stage of every call.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "array/rep.hpp"
#include "call/context.hpp"
#include "call/names.hpp"
#include "device/backend.hpp"
#include "kiln/stream.hpp"

namespace kiln::call {

struct Place {
  Device device;
  bool on_host = true;              ///< no array is on a device: results are host arrays
  bool staged = false;              ///< a GPU, and host arrays (or none) to compute with: they are brought there
  backend::Queue* queue = nullptr;  ///< of the stream; null: the default one

  [[nodiscard]] bool gpu() const noexcept { return !device.is_cpu(); }
};

/// DeviceErrors, which begin with `what`.
[[noreturn]] void fail_devices(const std::string& what, const std::string& a, const Device& of_a, const std::string& b,
                               const Device& of_b);
[[noreturn]] void fail_wanted(const std::string& what, const Device& wanted, const std::string& where, const Device& there);
[[noreturn]] void fail_stream(const std::string& what, const Device& stream, const Device& arrays);

/// Of a call without arrays on a device.
inline Device host_place(const Context& context) {
  return !context.stream.is_default() ? context.stream.device() : context.device ? *context.device : Device::best();
}

/// The device of the arrays that have one, else the one that is wanted, else the stream's, else the best. rep_of(i) is the
/// array of operand i, or null. DeviceError where any two of them differ.
template <class What, class RepOf>
Place choose_place(const What& what, std::size_t count, const RepOf& rep_of, NameOf name_of, const Context& context) {
  const Stream& stream = context.stream;
  const detail::ArrayRep* placed = nullptr;
  std::size_t placed_at = 0;
  bool any_host = false;
  for (std::size_t i = 0; i < count; ++i) {
    const detail::ArrayRep* const rep = rep_of(i);
    if (rep == nullptr) continue;
    if (rep->on_host) {
      any_host = true;
    } else if (placed == nullptr) {
      placed = rep;
      placed_at = i;
    } else if (!placed->device.same_memory(rep->device)) [[unlikely]] {
      fail_devices(text_of(what), name_of(placed_at), placed->device, name_of(i), rep->device);
    }
  }
  Place place;
  if (placed != nullptr) {
    place.device = placed->device;
    place.on_host = false;
    if (!stream.is_default() && !stream.device().same_memory(place.device))
      fail_stream(text_of(what), stream.device(), place.device);
    if (context.device && !context.device->same_memory(place.device))
      fail_wanted(text_of(what), *context.device, name_of(placed_at) + " is", place.device);
  } else {
    place.device = host_place(context);
    if (context.device && !context.device->same_memory(place.device))
      fail_wanted(text_of(what), *context.device, "the stream is", place.device);
  }
  place.queue = stream.queue().get();
  place.staged = place.gpu() && (any_host || placed == nullptr);
  return place;
}

/// The place of a call that is planned for that device.
template <class RepOf>
Place planned_place(const Device& device, std::size_t count, const RepOf& rep_of) {
  Place place{.device = device};
  bool any_host = false;
  for (std::size_t i = 0; i < count; ++i) {
    const detail::ArrayRep* const rep = rep_of(i);
    if (rep == nullptr) continue;
    any_host = any_host || rep->on_host;
    place.on_host = place.on_host && rep->on_host;
  }
  place.staged = place.gpu() && (any_host || place.on_host);
  return place;
}

}  // namespace kiln::call

#include "ufunc/place.hpp"

#include "array/rep.hpp"
#include "kiln/error.hpp"

namespace kiln::ufunc {

Place choose_place(const std::string& what, std::span<const PlacedArray> arrays, const Stream& stream) {
  const PlacedArray* placed = nullptr;
  for (const PlacedArray& each : arrays) {
    if (each.array == nullptr || each.array->is_host()) continue;
    if (placed == nullptr) {
      placed = &each;
    } else if (!placed->array->device().same_memory(each.array->device())) {
      throw DeviceError(what + ": " + placed->name + " is on " + to_string(placed->array->device()) + ", " + each.name +
                        " is on " + to_string(each.array->device()) + "; bring them to one device with to_device()");
    }
  }
  if (placed == nullptr) return {stream.is_default() ? Device::best() : stream.device(), true};
  const Device device = placed->array->device();
  if (!stream.is_default() && !stream.device().same_memory(device)) {
    throw DeviceError(what + ": the stream is on " + to_string(stream.device()) + ", the arrays are on " + to_string(device) +
                      "; give a stream of that device");
  }
  return {device, false};
}

}  // namespace kiln::ufunc

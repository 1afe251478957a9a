#include "call/staging.hpp"

#include "array/rep.hpp"

namespace kiln::call {

Array send(const Array& host, const Device& device) {
  const Shape& shape = host.shape();
  detail::ArrayRep once = *host.rep();
  bool repeats = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1 && once.strides[i] == 0) {
      once.shape[i] = 1;
      repeats = true;
    }
  }
  if (!repeats || host.size() == 0) return to_device(host, device);
  return to_device(detail::make_array(std::move(once)), device).broadcast_to(shape);
}

detail::ArrayRep as_sent(const detail::ArrayRep& rep, bool input, std::size_t index) {
  detail::ArrayRep once = rep;
  for (std::size_t d = 0; d < once.shape.size() && input; ++d) {
    if (once.strides[d] == 0) once.shape[d] = 1;
  }
  once = *detail::make_array(std::move(once)).rep();
  const Order order = input && once.f_contiguous && !once.c_contiguous ? Order::fortran : Order::c;
  detail::ArrayRep made = rep;
  made.buffer = nullptr;
  made.data = reinterpret_cast<char*>(static_cast<std::uintptr_t>(index + 1) << 20);
  made.strides = detail::packed_strides(once.shape, static_cast<std::int64_t>(itemsize(rep.dtype)), order);
  for (std::size_t d = 0; d < once.shape.size(); ++d) {
    if (once.shape[d] != rep.shape[d]) made.strides[d] = 0;
  }
  return made;
}

void fetch_results(std::span<const Array> given, std::span<const Array> computed, const Place& place,
                   std::span<Array> results) {
  // Copies are ordered after the default stream only.
  if (place.queue != nullptr) place.queue->synchronize();
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const bool is_given = i < given.size() && given[i];
    results[i] = is_given ? given[i] : computed[i];
    if (is_given && given[i].is_host()) {
      computed[i].copy_to_host(results[i]);
    } else if (!is_given && place.on_host) {
      const detail::ArrayRep& rep = *computed[i].rep();
      results[i] = Array::empty(rep.shape, rep.dtype, rep.f_contiguous && !rep.c_contiguous ? Order::fortran : Order::c);
      computed[i].copy_to_host(results[i]);
    }
  }
}

}  // namespace kiln::call

#include "call/staging.hpp"

#include "array/rep.hpp"

namespace kiln::call {
namespace {

/// Nothing is there to be read: addresses that are aligned as a device's are, and not alike.
char* address_of(std::size_t index) {
  return reinterpret_cast<char*>(static_cast<std::uintptr_t>(index + 1) << 20);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

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
  made.data = address_of(index);
  made.strides = detail::packed_strides(once.shape, static_cast<std::int64_t>(itemsize(rep.dtype)), order);
  for (std::size_t d = 0; d < once.shape.size(); ++d) {
    if (once.shape[d] != rep.shape[d]) made.strides[d] = 0;
  }
  return made;
}

detail::ArrayRep as_copied(const detail::ArrayRep& rep, std::size_t index) {
  detail::ArrayRep made = rep;
  made.buffer = nullptr;
  made.data = address_of(index);
  made.strides = detail::packed_strides(made.shape, static_cast<std::int64_t>(itemsize(made.dtype)), Order::c);
  return made;
}

}  // namespace kiln::call

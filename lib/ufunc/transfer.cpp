#include "ufunc/transfer.hpp"

#include "array/rep.hpp"

namespace kiln::ufunc {

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
  if (!repeats) return to_device(host, device);
  return to_device(detail::make_array(std::move(once)), device).broadcast_to(shape);
}

}  // namespace kiln::ufunc

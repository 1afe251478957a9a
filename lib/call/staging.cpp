#include "call/staging.hpp"

#include "array/rep.hpp"
#include "backend/kernel_abi.hpp"
#include "call/description.hpp"

namespace kiln::call {
namespace {

/// What a call makes of an operand lies apart from what a manifest gives for others.
std::size_t made_of(std::size_t operand) {
  return std::size_t{2 * backend::kMaxOperands} + operand;
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

Array as_sent(const detail::ArrayRep& rep, bool input, std::size_t operand, const Device& device) {
  detail::ArrayRep once = rep;
  for (std::size_t d = 0; d < once.shape.size() && input; ++d) {
    if (once.strides[d] == 0) once.shape[d] = 1;
  }
  once = *detail::make_array(std::move(once)).rep();
  const Order order = input && once.f_contiguous && !once.c_contiguous ? Order::fortran : Order::c;
  Strides strides = detail::packed_strides(once.shape, static_cast<std::int64_t>(itemsize(rep.dtype)), order);
  for (std::size_t d = 0; d < once.shape.size(); ++d) {
    if (once.shape[d] != rep.shape[d]) strides[d] = 0;
  }
  return in_no_memory(rep.shape, strides, rep.dtype, made_of(operand), device, false);
}

Array as_copied(const detail::ArrayRep& rep, std::size_t operand) {
  return in_no_memory(rep.shape, detail::packed_strides(rep.shape, static_cast<std::int64_t>(itemsize(rep.dtype)), Order::c),
                      rep.dtype, made_of(operand), rep.device, rep.on_host);
}

}  // namespace kiln::call

#include "array/ref.hpp"

#include "array/access.hpp"

namespace kiln::detail {
namespace {

/// Fills the layout of a small array in C order, as most are, in one pass. Returns false for any other.
bool take_packed(const ArrayRef& ref, std::int64_t item, ArrayRep& rep) {
  constexpr std::int64_t kSmall = std::int64_t{1} << 40;
  const std::size_t rank = ref.shape.size();
  if (rank > Dims::kInline || ref.data == nullptr) return false;
  if (reinterpret_cast<std::uintptr_t>(ref.data) % static_cast<std::uintptr_t>(item) != 0) return false;
  if (!ref.strides.empty() && ref.strides.size() != rank) return false;
  std::int64_t strides[Dims::kInline];
  std::int64_t stride = item;
  std::int64_t size = 1;
  std::size_t long_axes = 0;
  for (std::size_t d = rank; d-- > 0;) {
    const std::int64_t extent = ref.shape[d];
    if (extent <= 0 || (!ref.strides.empty() && ref.strides[d] != stride)) return false;
    strides[d] = stride;
    if (__builtin_mul_overflow(stride, extent, &stride) || stride > kSmall) return false;
    size *= extent;
    long_axes += extent > 1 ? 1 : 0;
  }
  for (std::size_t d = 0; d < rank; ++d) {
    rep.shape.push_back(ref.shape[d]);
    rep.strides.push_back(strides[d]);
  }
  rep.size = size;
  rep.c_contiguous = true;
  rep.f_contiguous = long_axes <= 1;
  return true;
}

void take_any(const ArrayRef& ref, std::int64_t item, ArrayRep& rep) {
  rep.shape = Shape(ref.shape);
  checked_size(rep.shape, item);  // before strides are made of it
  rep.strides = ref.strides.empty() ? packed_strides(rep.shape, item, Order::c) : Strides(ref.strides);
  check_layout("ArrayRef", ref.data, rep.shape, ref.dtype, rep.strides, !rep.device.is_cpu());
  set_flags(rep);
}

}  // namespace

ArrayRep rep_of(const ArrayRef& ref) {
  ArrayRep rep;
  rep.data = static_cast<char*>(ref.data);
  rep.dtype = ref.dtype;
  rep.on_host = !ref.device.has_value();
  rep.read_only = ref.read_only;
  if (ref.device) rep.device = *ref.device;
  const auto item = static_cast<std::int64_t>(itemsize(ref.dtype));
  if (!take_packed(ref, item, rep)) take_any(ref, item, rep);
  return rep;
}

Array array_of(const ArrayRef& ref) {
  return make_array(rep_of(ref));
}

}  // namespace kiln::detail

// What the outputs of a call may share memory with: themselves, one another, the inputs.
#include "call/shapes.hpp"
#include "call/window.hpp"
#include "layout/overlap.hpp"
#include "ufunc/call.hpp"

namespace kiln::ufunc {
namespace {

/// The addresses between which all elements lie.
struct Bytes {
  const char* begin;
  const char* end;
};
Bytes bytes_of(const detail::ArrayRep& rep) {
  if (rep.c_contiguous || rep.f_contiguous)
    return {rep.data, rep.data + rep.size * static_cast<std::int64_t>(itemsize(rep.dtype))};
  const layout::Extent extent = layout::extent_of(call::window_of(rep));
  return {extent.begin, extent.end};
}

bool same_window(const detail::ArrayRep& a, const detail::ArrayRep& b) {
  return a.data == b.data && itemsize(a.dtype) == itemsize(b.dtype) && a.shape == b.shape && a.strides == b.strides;
}

}  // namespace

void Call::check_outputs() {
  for (std::size_t i = inputs_; i < count_; ++i) {
    const detail::ArrayRep* rep = operands_[i].rep;
    if (rep == nullptr) continue;
    call::check_output(ufunc_.name(), *rep, *shape_, [this](std::size_t k) { return name_of(k); }, i);
  }
}

/// A bit for each input that an output would overwrite before it is read. Equal windows are safe: each element is read before
/// it is written.
std::uint64_t Call::overlapping_inputs(std::vector<std::string>* report) {
  std::uint64_t found = 0;
  for (std::size_t o = inputs_; o < count_; ++o) {
    const detail::ArrayRep* out = operands_[o].rep;
    if (out == nullptr) continue;
    const Bytes written = bytes_of(*out);
    for (std::size_t i = 0; i < count_; ++i) {
      const detail::ArrayRep* rep = operands_[i].rep;
      if (rep == nullptr || i == o || (is_output(i) && i < o)) continue;
      if (!is_output(i) && same_window(*rep, *out)) {
        aliased_ = true;
        continue;
      }
      const Bytes read = bytes_of(*rep);
      if (read.begin >= written.end || written.begin >= read.end ||
          !layout::overlaps(call::window_of(*rep), call::window_of(*out)))
        continue;
      if (is_output(i)) {
        call::fail_shared_outputs(ufunc_.name(), name_of(o), name_of(i));
      }
      found |= std::uint64_t{1} << i;
      if (report != nullptr) {
        report->push_back(name_of(i) + " overlaps " + name_of(o) + " and is copied first");
      }
    }
  }
  return found;
}

void Call::replace_by_copy(std::size_t operand) {
  // The copy is made at once, so work that is still queued must be done.
  if (place_.queue != nullptr) place_.queue->synchronize();
  held_.push_back(array_of(operand).copy());
  operands_[operand].rep = held_.back().rep().get();
  all_c_ &= operands_[operand].rep->c_contiguous;
  all_f_ &= operands_[operand].rep->f_contiguous;
}

}  // namespace kiln::ufunc

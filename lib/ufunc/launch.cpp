// A prepared call to launches of its variant.
#include "ufunc/call.hpp"
#include "ufunc/uninitialized.hpp"

namespace kiln::ufunc {

void Call::launch(const Variant& variant, backend::Backend& backend, std::span<const Array> results) {
  Uninitialized<backend::LaunchOperand, kMaxOperands> storage;
  backend::LaunchOperand* const operands = storage.data();
  const bool reads_outputs = layout_.masking == codegen::Masking::keep && !gpu_;
  std::size_t count = 0;
  const auto add = [&](std::size_t i) {
    const auto size = static_cast<std::uint8_t>(operands_[i].itemsize);
    if (is_scalar(i)) {
      operands[count++] = {values_[i].bytes, nullptr, size, true};
      return;
    }
    const detail::ArrayRep* rep = operands_[i].rep != nullptr ? operands_[i].rep : results[i - inputs_].rep().get();
    operands[count++] = {rep->data + iteration_->offset(i), iteration_->strides(i).data(), size, false};
  };
  for (std::size_t i = 0; i < inputs_; ++i) add(i);
  for (std::size_t times = reads_outputs ? 2 : 1; times > 0; --times) {
    for (std::size_t i = inputs_; i < count_; ++i) add(i);
  }
  std::shared_ptr<const void> kept = backend.asynchronous(queue_) ? keep(results) : nullptr;
  const auto shape = iteration_->shape();
  backend::ElementwiseLaunch work;
  work.operands = {operands, count};
  work.width = variant.width;
  work.unroll = variant.unroll;
  work.wide_index = layout_.wide_index;
  const std::size_t outer = shape.size() > backend::kMaxKernelRank ? shape.size() - backend::kMaxKernelRank : 0;
  work.shape = shape.subspan(outer);
  if (outer == 0) {
    work.size = iteration_->size();
    backend.launch(*variant.module, work, queue_, std::move(kept));
    return;
  }
  // More dimensions than a kernel takes: one launch for each index of the outermost ones.
  std::vector<std::int64_t> index(outer, 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (!operands[i].scalar) operands[i].strides += outer;
  }
  work.size = 1;
  for (const std::int64_t extent : work.shape) work.size *= extent;
  for (bool more = true; more;) {
    backend.launch(*variant.module, work, queue_, kept);
    more = false;
    for (std::size_t d = outer; d-- > 0 && !more;) {
      more = ++index[d] < shape[d];
      if (!more) index[d] = 0;
      for (std::size_t i = 0; i < count; ++i) {
        if (operands[i].scalar) continue;
        const std::int64_t stride = operands[i].strides[static_cast<std::ptrdiff_t>(d) - static_cast<std::ptrdiff_t>(outer)];
        operands[i].data = static_cast<char*>(operands[i].data) + (more ? stride : stride * (1 - shape[d]));
      }
    }
  }
}

}  // namespace kiln::ufunc

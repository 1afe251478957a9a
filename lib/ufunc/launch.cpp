// A prepared call to launches of its variant.
#include "kinds/elementwise/launch.hpp"
#include "kinds/counter.hpp"
#include "ufunc/call.hpp"
#include "ufunc/uninitialized.hpp"

namespace kiln::ufunc {

void Call::launch(const Variant& variant, backend::Backend& backend, std::span<const Array> results) {
  Uninitialized<kinds::LaunchOperand, kMaxOperands> storage;
  kinds::LaunchOperand* const operands = storage.data();
  const bool reads_outputs = layout_.masking == codegen::Masking::keep && !place_.gpu();
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
  std::shared_ptr<const void> kept = backend.asynchronous(place_.queue) ? keep(results) : nullptr;
  const auto shape = iteration_->shape();
  kinds::ElementwiseLaunch work;
  work.operands = {operands, count};
  work.width = variant.width;
  work.unroll = variant.unroll;
  work.wide_index = layout_.wide_index;
  const std::size_t outer = shape.size() > backend::kMaxKernelRank ? shape.size() - backend::kMaxKernelRank : 0;
  work.shape = shape.subspan(outer);
  if (outer == 0) {
    work.size = iteration_->size();
    kinds::launch(backend, *variant.module, work, place_.queue, std::move(kept));
    return;
  }
  // More dimensions than a kernel takes.
  const std::vector<kinds::LaunchOperand> first(operands, operands + count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!operands[i].scalar) operands[i].strides += outer;
  }
  work.size = kinds::product(work.shape);
  kinds::for_each_outer(shape.first(outer), [&](const kinds::Counter& index) {
    for (std::size_t i = 0; i < count; ++i) {
      if (operands[i].scalar) continue;
      operands[i].data = static_cast<char*>(first[i].data) + index.offset({first[i].strides, outer});
    }
    kinds::launch(backend, *variant.module, work, place_.queue, kept);
  });
}

}  // namespace kiln::ufunc

// Which variant of a loop a call runs: how each operand is reached, and on a GPU how wide.
#include <algorithm>

#include "ufunc/call.hpp"
#include "ufunc/tuning.hpp"

namespace kiln::ufunc {
namespace {

std::uintptr_t address(const char* data) noexcept {
  return reinterpret_cast<std::uintptr_t>(data);
}

}  // namespace

codegen::Access Call::find_access(std::size_t operand) const noexcept {
  if (is_scalar(operand)) return codegen::Access::scalar;
  const std::int64_t stride = iteration_->inner_stride(operand);
  if (stride == operands_[operand].itemsize) return codegen::Access::contiguous;
  return stride == 0 ? codegen::Access::broadcast : codegen::Access::strided;
}

Variant::Key Call::variant_key() const noexcept {
  Variant::Key key;
  for (std::size_t i = 0; i < count_; ++i) key.access |= static_cast<std::uint64_t>(access(i)) << (2 * i);
  const auto field = [&key](auto value, int shift) { key.rest |= static_cast<std::uint64_t>(value) << shift; };
  field(kernel_rank(), 0);
  field(width_, 8);
  field(unroll_, 16);
  field(wide_index_, 24);
  field(aliased_, 25);
  field(nontemporal_, 26);
  field(device_.index(), 32);
  field(device_.kind(), 56);
  return key;
}

int Call::kernel_rank() const noexcept {
  return std::min(iteration_->rank(), gpu_ ? backend::kMaxKernelRank : 2);
}

void Call::specialize() {
  if (gpu_) {
    wide_index_ = iteration_->size() > tuning::kMaxNarrowIndex;
    choose_width();
    return;
  }
  // A kernel that reads and writes the same window needs no care on the CPU: its loads come first, and it claims no
  // __restrict__.
  aliased_ = false;
  if (iteration_->rank() != 1 || ufunc_.arithmetic_bound()) return;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (is_scalar(i) || access(i) == codegen::Access::broadcast) continue;
    bytes += iteration_->size() * operands_[i].itemsize;
    if (!is_output(i)) continue;
    // Fresh outputs are aligned.
    const detail::ArrayRep* rep = operands_[i].rep;
    if (access(i) != codegen::Access::contiguous || (rep != nullptr && address(rep->data) % 64 != 0)) return;
  }
  nontemporal_ = bytes >= tuning::kNontemporalBytes && !overwrites_input();
}

void Call::choose_width() {
  const auto shape = iteration_->shape();
  std::int64_t narrowest = 16;
  std::int64_t widest = 0;
  bool flat = shape.size() == 1;
  for (std::size_t i = 0; i < count_; ++i) {
    const codegen::Access how = access(i);
    flat &= how != codegen::Access::strided;
    if (how != codegen::Access::contiguous) continue;
    const auto size = operands_[i].itemsize;
    narrowest = std::min(narrowest, size);
    widest = std::max(widest, size);
  }
  std::int64_t width = tuning::width(narrowest, widest);
  // The flat kernel handles a rest that fills no pack; rows of the n-dimensional one must be whole packs.
  if (!flat && shape.back() % width != 0) width = 1;
  for (std::size_t i = 0; i < count_ && width > 1; ++i) {
    const detail::ArrayRep* rep = operands_[i].rep;
    // Fresh outputs are aligned and packed, but their rows are as long as the loop's.
    if (access(i) != codegen::Access::contiguous) continue;
    const std::int64_t alignment = std::min<std::int64_t>(16, width * operands_[i].itemsize);
    if (rep != nullptr && address(rep->data + iteration_->offset(i)) % static_cast<std::uintptr_t>(alignment) != 0) width = 1;
    for (const std::int64_t stride : iteration_->strides(i).first(shape.size() - 1)) {
      if (stride % alignment != 0) width = 1;
    }
  }
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < nin_; ++i) {
    if (is_scalar(i) || access(i) == codegen::Access::broadcast) continue;
    bytes += width * operands_[i].itemsize;
  }
  width_ = static_cast<int>(width);
  unroll_ = tuning::unroll(bytes);
}

bool Call::overwrites_input() const noexcept {
  for (std::size_t o = nin_; o < count_; ++o) {
    for (std::size_t i = 0; i < nin_; ++i) {
      if (operands_[o].rep != nullptr && operands_[i].rep != nullptr && operands_[o].rep->data == operands_[i].rep->data)
        return true;
    }
  }
  return false;
}

codegen::ElementwiseSpec Call::spec() const {
  codegen::ElementwiseSpec spec;
  for (std::size_t i = 0; i < count_; ++i) {
    (is_output(i) ? spec.outputs : spec.inputs).push_back({storage_dtype(i), compute_dtype(i), access(i)});
  }
  spec.rank = kernel_rank();
  spec.width = width_;
  spec.unroll = unroll_;
  spec.wide_index = wide_index_;
  spec.aliased = aliased_;
  spec.nontemporal = nontemporal_;
  return spec;
}

codegen::ElementwiseSpec contiguous_spec(const Loop& loop, DeviceKind kind) {
  codegen::ElementwiseSpec spec;
  std::int64_t narrowest = 16;
  std::int64_t widest = 0;
  std::int64_t bytes = 0;
  for (const auto* dtypes : {&loop.inputs, &loop.outputs}) {
    for (const DType dtype : *dtypes) {
      (dtypes == &loop.inputs ? spec.inputs : spec.outputs).push_back({dtype, dtype, codegen::Access::contiguous});
      const auto size = static_cast<std::int64_t>(itemsize(dtype));
      narrowest = std::min(narrowest, size);
      widest = std::max(widest, size);
      if (dtypes == &loop.inputs) bytes += size;
    }
  }
  if (kind != DeviceKind::cpu) {
    const std::int64_t width = tuning::width(narrowest, widest);
    spec.width = static_cast<int>(width);
    spec.unroll = tuning::unroll(bytes * width);
  }
  return spec;
}

}  // namespace kiln::ufunc

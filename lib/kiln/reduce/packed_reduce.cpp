#include "reduce/packed_reduce.hpp"

#include "kernel/reduction/launch.hpp"
#include "registry/registry.hpp"
#include "shared/float_environment.hpp"
#include "ufunc/packed_call.hpp"

namespace kiln::reduce {
namespace {

/// Whether all axes of an array of that rank are reduced, and the options are otherwise those of a call without any but
/// .keepdims.
bool is_plain(const ReduceOptions& options, std::size_t rank) noexcept {
  // A new option does not compile here.
  const auto& [axis, keepdims, initial, where, dtype, out, stream, device, stop, timeout] = options;
  static_cast<void>(keepdims);
  if (initial || where.valid() || dtype || out.valid() || !stream.is_default() || device || stop.stop_possible() ||
      timeout.count() != 0)
    return false;
  return axis.is_all() || (rank == 1 && axis.list().size() == 1 && (axis.list()[0] == 0 || axis.list()[0] == -1));
}

}  // namespace

bool PackedReduce::take(const detail::ArrayRep& array, const ReduceOptions& options) noexcept {
  if (!array.on_host || !array.c_contiguous || !is_plain(options, array.shape.size())) return false;
  return take(array.data, array.dtype, array.shape.size(), array.size);
}

bool PackedReduce::take(const void* data, DType dtype, std::size_t rank, std::int64_t size) noexcept {
  data_ = static_cast<const char*>(data);
  dtype_ = dtype;
  size_ = size;
  return size > 0 && size <= ufunc::kMostPacked && (rank == 1 || (rank > 1 && ufunc_.reorderable())) && !ufunc_.by_elements() &&
         ufunc_.constants() == 0 && !ufunc::calls_are_observed();
}

ufunc::PackedKey PackedReduce::key() const noexcept {
  return {std::uint64_t{1} << 63 | static_cast<std::uint64_t>(dtype_) << 16 | static_cast<std::uint64_t>(device_.index())};
}

const ufunc::PackedKernel* PackedReduce::find() {
  device_ = Device::best();
  return device_.is_cpu() ? ufunc_.packed_kernels().find(key()) : nullptr;
}

Array PackedReduce::run(std::size_t rank) {
  const ufunc::PackedKernel* const kernel = find();
  if (kernel == nullptr) return {};
  Array result = Array::empty(Shape(rank, 1), kernel->loop->outputs[0]);
  launch(*kernel, result.data());
  return result;
}

bool PackedReduce::run(void* out, DType dtype) {
  const auto item = static_cast<std::int64_t>(itemsize(dtype));
  const auto* const begin = static_cast<const char*>(out);
  const char* const end = data_ + size_ * static_cast<std::int64_t>(itemsize(dtype_));
  const bool apart = begin >= end || begin + item <= data_;
  const ufunc::PackedKernel* const kernel = apart ? find() : nullptr;
  if (kernel == nullptr || dtype != kernel->loop->outputs[0]) return false;
  launch(*kernel, out);
  return true;
}

void PackedReduce::launch(const ufunc::PackedKernel& kernel, void* out) const {
  const auto item = static_cast<std::int64_t>(itemsize(dtype_));
  const std::int64_t still = 0;
  const kinds::LaunchOperand operands[] = {{const_cast<char*>(data_), &item, static_cast<std::uint16_t>(item), false},
                                           {out, &still, static_cast<std::uint16_t>(itemsize(kernel.loop->outputs[0])), false}};
  const kinds::ReductionLaunch work{.operands = operands, .kept = {}, .reduced = {&size_, 1}, .count = size_};
  const std::shared_ptr<const void> nothing;
  const base::DefaultFloatEnvironment floats;
  kinds::launch(backend::backend_for(device_), *kernel.module, work, backend::LaunchContext{.keep = nothing});
}

void PackedReduce::remember(const ufunc::Loop& loop, const ufunc::Variant<kinds::ReductionClass>& variant) const {
  if (device_.is_cpu()) ufunc_.packed_kernels().add(key(), &loop, variant.module.get(), 1);
}

}  // namespace kiln::reduce

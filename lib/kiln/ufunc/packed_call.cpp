#include "ufunc/packed_call.hpp"

#include <algorithm>

#include "kernel/elementwise/launch.hpp"
#include "profiling/call.hpp"
#include "registry/registry.hpp"
#include "shared/float_environment.hpp"
#include "types/convert.hpp"
#include "types/each_dtype.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/tuning.hpp"

namespace kiln::ufunc {
namespace {

static_assert(kMostPacked < tuning::kNontemporalBytes / 512);
// Of an operand in the key: its dtype, and whether it is a scalar or a fresh output.
constexpr unsigned kBits = 6;
constexpr unsigned kScalar = 1U << 4;
constexpr unsigned kFresh = 1U << 5;
static_assert(kDTypeCount <= 16);
static_assert(PackedCall::kMax * kBits + 14 <= 64);

std::int64_t bytes_of(DType dtype) noexcept {
  return kItemBytes[static_cast<std::size_t>(dtype)];
}

/// Whether the options are those of a call without any, but for .out.
bool is_plain(const CallOptions& options) noexcept {
  // A new option does not compile here.
  const auto& [out, where, stream, device, casting, dtype, signature, stop, timeout, size] = options;
  static_cast<void>(out);
  return !where.valid() && stream.is_default() && !device && casting == Casting::same_kind && !dtype && signature.empty() &&
         !stop.stop_possible() && timeout.count() == 0 && !size;
}

}  // namespace

bool calls_are_observed() noexcept {
  return profiling::active() || recorder() != nullptr || backend::Capture::current() != nullptr;
}

std::int64_t packed_size(const void* data, DType dtype, std::span<const std::int64_t> shape, const std::int64_t* strides,
                         std::int64_t unit) noexcept {
  const std::int64_t item = bytes_of(dtype);
  if (data == nullptr || (reinterpret_cast<std::uintptr_t>(data) & static_cast<std::uintptr_t>(item - 1)) != 0) return 0;
  std::int64_t size = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;  // its stride means nothing
    if (shape[d] <= 0 || shape[d] > kMostPacked) return 0;
    // Both are small by now: no product overflows.
    const std::int64_t stride = strides != nullptr ? strides[d] : 0;
    if (strides != nullptr && (stride < 0 || stride > kMostPacked * item || stride * unit != size * item)) return 0;
    size *= shape[d];
    if (size > kMostPacked) return 0;
  }
  return size;
}

PackedCall::PackedCall(const detail::UfuncImpl& ufunc)
    : ufunc_(ufunc),
      packed_(ufunc.nin() + ufunc.nout() <= kMax && !ufunc.by_elements() && ufunc.inout() == 0 && ufunc.constants() == 0 &&
              !calls_are_observed()) {}

bool PackedCall::take(Operand operand, unsigned code) noexcept {
  if (!packed_) return false;
  bits_ = bits_ << kBits | code;
  operands_[count_++] = operand;
  return true;
}

bool PackedCall::take_shape(std::span<const std::int64_t> shape, std::int64_t size) noexcept {
  if (size <= 0 || size > kMostPacked) return false;
  if (has_shape_) return std::ranges::equal(shape, shape_);
  has_shape_ = true;
  shape_ = shape;
  size_ = size;
  return true;
}

bool PackedCall::add(const detail::ArrayRep& array, bool written) noexcept {
  if (!array.on_host || !array.c_contiguous || (written && array.read_only)) return false;
  if (!take_shape(array.shape, array.size)) return false;
  return take({array.data, array.dtype, false}, static_cast<unsigned>(array.dtype));
}

bool PackedCall::add(void* data, DType dtype, std::span<const std::int64_t> shape, const std::int64_t* strides,
                     std::int64_t unit) noexcept {
  if (!take_shape(shape, packed_size(data, dtype, shape, strides, unit))) return false;
  return take({static_cast<char*>(data), dtype, false}, static_cast<unsigned>(dtype));
}

bool PackedCall::add_scalar(DType dtype, const void* value) noexcept {
  return take({static_cast<char*>(const_cast<void*>(value)), dtype, true}, static_cast<unsigned>(dtype) | kScalar);
}

bool PackedCall::add_fresh() noexcept {
  return take({nullptr, DType::bool_, false}, kFresh);
}

bool PackedCall::add(std::span<const Arg> args, const CallOptions& options) {
  const std::span<const ArrayArg> out = options.out.list();
  if (!packed_ || !is_plain(options) || args.size() != ufunc_.nin() || (!out.empty() && out.size() != ufunc_.nout()))
    return false;
  const auto add_array = [&](const Array& array, const ArrayRef* ref, bool written) {
    if (ref == nullptr) return array.valid() && add(*array.rep(), written);
    if (ref->device || ref->ready != nullptr || (written && ref->read_only)) return false;
    if (!ref->strides.empty() && ref->strides.size() != ref->shape.size()) return false;
    return add(ref->data, ref->dtype, ref->shape, ref->strides.empty() ? nullptr : ref->strides.data(), 1);
  };
  for (const Arg& arg : args) {
    if (!(arg.is_array() ? add_array(arg.array(), arg.ref(), false) : add_scalar(arg.dtype(), arg.value()))) return false;
  }
  for (std::size_t o = 0; o < ufunc_.nout(); ++o) {
    const bool given = !out.empty() && out[o].valid();
    if (!(given ? add_array(out[o].array(), out[o].ref(), true) : add_fresh())) return false;
  }
  return true;
}

PackedKey PackedCall::key() const noexcept {
  return {bits_ << 14 | static_cast<std::uint64_t>(device_.index())};
}

bool PackedCall::overlap() const noexcept {
  const auto end = [this](const Operand& operand) { return operand.data + size_ * bytes_of(operand.dtype); };
  for (std::size_t o = ufunc_.nin(); o < count_; ++o) {
    const Operand& output = operands_[o];
    if (output.data == nullptr) continue;
    for (std::size_t k = 0; k < o; ++k) {
      const Operand& other = operands_[k];
      if (other.data == nullptr || other.scalar || other.data >= end(output) || output.data >= end(other)) continue;
      const bool same = other.data == output.data && bytes_of(other.dtype) == bytes_of(output.dtype);
      if (!same || k >= ufunc_.nin()) return true;
    }
  }
  return false;
}

bool PackedCall::run(std::span<Array> results) {
  if (!packed_ || !has_shape_ || count_ != ufunc_.nin() + ufunc_.nout()) return false;
  device_ = Device::best();
  const PackedKernel* const kernel = device_.is_cpu() ? ufunc_.packed_kernels().find(key()) : nullptr;
  if (kernel == nullptr || overlap()) return false;
  kinds::LaunchOperand operands[kMax];
  std::int64_t strides[kMax];
  alignas(16) unsigned char values[kMax][16];
  for (std::size_t k = 0; k < count_; ++k) {
    Operand& operand = operands_[k];
    const std::size_t o = k - ufunc_.nin();
    if (operand.scalar) {
      const DType to = kernel->loop->inputs[k];
      if (operand.dtype != to) {
        if (kind(operand.dtype) == Kind::integer && kind(to) == Kind::integer && !integer_fits(operand.dtype, operand.data, to))
          return false;
        convert_scalar(operand.dtype, operand.data, to, values[k]);
        operand.data = reinterpret_cast<char*>(values[k]);
      }
      operands[k] = {operand.data, nullptr, static_cast<std::uint16_t>(bytes_of(to)), true};
      continue;
    }
    if (operand.data == nullptr) {
      operand.dtype = kernel->loop->outputs[o];
      results[o] = Array::empty(Shape(shape_), operand.dtype);
      operand.data = static_cast<char*>(results[o].data());
    }
    const std::int64_t item = bytes_of(operand.dtype);
    strides[k] = item;
    operands[k] = {operand.data, &strides[k], static_cast<std::uint16_t>(item), false};
  }
  kinds::ElementwiseLaunch work;
  work.operands = {operands, count_};
  work.shape = {&size_, 1};
  work.size = size_;
  work.rank = kernel->rank;
  const std::shared_ptr<const void> nothing;
  const base::DefaultFloatEnvironment floats;
  kinds::launch(backend::backend_for(device_), *kernel->module, work, backend::LaunchContext{.keep = nothing});
  return true;
}

void PackedCall::remember(const Loop& loop, const Variant<LayoutClass>& variant) const {
  if (!has_shape_ || !device_.is_cpu() || !loop.narrowed.empty() || !loop.constants.empty()) return;
  for (std::size_t k = 0; k < count_; ++k) {
    const Operand& operand = operands_[k];
    if (operand.scalar || operand.data == nullptr) continue;
    if (operand.dtype != (k < ufunc_.nin() ? loop.inputs[k] : loop.outputs[k - ufunc_.nin()])) return;
  }
  ufunc_.packed_kernels().add(key(), &loop, variant.module.get(), int{variant.layout.rank});
}

}  // namespace kiln::ufunc

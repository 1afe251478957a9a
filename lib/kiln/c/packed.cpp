#include "c/packed.hpp"

#include "array/dlpack.hpp"
#include "c/array.hpp"
#include "reduce/packed_reduce.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/packed_call.hpp"

namespace kiln::c {
namespace {

bool add_tensor(ufunc::PackedCall& packed, const void* given) {
  if (given == nullptr) return false;
  const auto& tensor = *static_cast<const dlpack::Tensor*>(given);
  const std::optional<DType> dtype = dlpack::find_dtype(tensor.dtype);
  if (!dtype || tensor.device.type != dlpack::kCpu || tensor.data == nullptr || tensor.ndim < 0 ||
      tensor.ndim > dlpack::kMaxRank || (tensor.ndim != 0 && tensor.shape == nullptr))
    return false;
  void* const data = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset);
  return packed.add(data, *dtype, {tensor.shape, static_cast<std::size_t>(tensor.ndim)}, tensor.strides,
                    static_cast<std::int64_t>(itemsize(*dtype)));
}

/// Returns the dtype of memory of the host, if nothing in the description is wrong.
std::optional<DType> host_dtype(const kiln_array_info* info, bool written) noexcept {
  if (info == nullptr || info->struct_size != sizeof *info) return std::nullopt;
  const bool on_host = info->device.type == 0 || info->device.type == KILN_CPU;
  const bool sound = on_host && info->ndim >= 0 && info->ndim <= dlpack::kMaxRank &&
                     (info->ndim == 0 || info->shape != nullptr) && !(written && info->read_only != 0);
  return sound ? dlpack::find_dtype({info->dtype.code, info->dtype.bits, info->dtype.lanes}) : std::nullopt;
}

bool add_memory(ufunc::PackedCall& packed, const kiln_array_info* info, bool written) {
  const std::optional<DType> dtype = host_dtype(info, written);
  return dtype && packed.add(info->data, *dtype, {info->shape, static_cast<std::size_t>(info->ndim)}, info->strides, 1);
}

bool add_array(ufunc::PackedCall& packed, const kiln_arg& arg, bool written) {
  if (arg.ready != nullptr) return false;
  switch (arg.kind) {
    case KILN_DLTENSOR:
      return add_tensor(packed, arg.value.tensor);
    case KILN_MEMORY:
      return add_memory(packed, arg.value.memory, written);
    case KILN_ARRAY:
      return is_sound(arg.value.array) && arg.value.array->array.valid() && packed.add(*arg.value.array->array.rep(), written);
    default:
      return false;
  }
}

/// Packed memory of the host.
struct Packed {
  void* data;
  DType dtype;
  std::size_t rank;
  std::int64_t size;
};

std::optional<Packed> packed_of(const kiln_arg& arg, bool written) {
  const kiln_array_info* const info = arg.value.memory;
  if (arg.ready != nullptr || arg.kind != KILN_MEMORY) return std::nullopt;
  const std::optional<DType> dtype = host_dtype(info, written);
  if (!dtype) return std::nullopt;
  const auto rank = static_cast<std::size_t>(info->ndim);
  return Packed{info->data, *dtype, rank, ufunc::packed_size(info->data, *dtype, {info->shape, rank}, info->strides, 1)};
}

/// Whether all axes of an array of that rank are reduced.
bool reduces_all(const kiln_call_options& options, std::size_t rank) noexcept {
  if (options.axis_count == KILN_ALL_AXES) return true;
  if (rank != 1) return false;
  if (options.axis == nullptr) return options.axis_count == 0;
  return options.axis_count == 1 && (*options.axis == 0 || *options.axis == -1);
}

bool add_input(ufunc::PackedCall& packed, const kiln_arg& arg) {
  if (arg.kind != KILN_SCALAR) return add_array(packed, arg, false);
  const std::optional<DType> dtype = dlpack::find_dtype({arg.dtype.code, arg.dtype.bits, arg.dtype.lanes});
  // Those that a kiln_arg holds as they are.
  const bool as_it_is = dtype == DType::float64 || dtype == DType::int64 || dtype == DType::uint64;
  return as_it_is && packed.add_scalar(*dtype, &arg.value);
}

}  // namespace

bool run_packed(const Ufunc& f, const Call& call) {
  const detail::UfuncImpl& impl = *f.impl();
  if (call.nin != impl.nin() || call.nout != impl.nout() || call.inputs == nullptr || call.outputs == nullptr) return false;
  ufunc::PackedCall packed(impl);
  for (std::size_t i = 0; i < call.nin; ++i) {
    if (!add_input(packed, call.inputs[i])) return false;
  }
  for (std::size_t i = 0; i < call.nout; ++i) {
    if (!add_array(packed, call.outputs[i], true)) return false;
  }
  return packed.run({});
}

bool reduce_packed(const Ufunc& f, const Call& call, const kiln_call_options& options) {
  if (call.nin != 1 || call.nout != 1 || call.inputs == nullptr || call.outputs == nullptr) return false;
  const std::optional<Packed> input = packed_of(call.inputs[0], false);
  if (!input || !reduces_all(options, input->rank)) return false;
  const std::optional<Packed> output = packed_of(call.outputs[0], true);
  if (!output || output->size != 1 || output->rank != (options.keepdims != 0 ? input->rank : 0)) return false;
  reduce::PackedReduce packed(*f.impl());
  return packed.take(input->data, input->dtype, input->rank, input->size) && packed.run(output->data, output->dtype);
}

}  // namespace kiln::c

#include "array/dlpack.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <memory>
#include <string>
#include <utility>

#include "array/access.hpp"
#include "device/backend.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "kiln/event.hpp"

namespace kiln::dlpack {
namespace {

enum : std::uint8_t { kInt = 0, kUint = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };
constexpr std::array<DataType, kDTypeCount> kDataTypes = {{{kBool, 8, 1},
                                                           {kInt, 8, 1},
                                                           {kInt, 16, 1},
                                                           {kInt, 32, 1},
                                                           {kInt, 64, 1},
                                                           {kUint, 8, 1},
                                                           {kUint, 16, 1},
                                                           {kUint, 32, 1},
                                                           {kUint, 64, 1},
                                                           {kFloat, 16, 1},
                                                           {kBfloat, 16, 1},
                                                           {kFloat, 32, 1},
                                                           {kFloat, 64, 1},
                                                           {kComplex, 64, 1},
                                                           {kComplex, 128, 1}}};

constexpr std::size_t kCodes = 7;
constexpr std::size_t kMostBits = 128;
constexpr std::uint8_t kNone = 0xff;
/// The dtype of a code and a number of bits.
constexpr auto kDTypes = [] {
  std::array<std::array<std::uint8_t, kMostBits + 1>, kCodes> table{};
  for (auto& of_code : table) of_code.fill(kNone);
  for (std::size_t i = 0; i < kDataTypes.size(); ++i)
    table[kDataTypes[i].code][kDataTypes[i].bits] = static_cast<std::uint8_t>(i);
  return table;
}();

std::string prefix(const char* what) {
  return std::string(what) + ": ";
}

int index_of(Place place, const char* what) {
  if (place.index < 0 || place.index > INT16_MAX)
    throw DeviceError(prefix(what) + "no device has the number " + std::to_string(place.index));
  return place.index;
}

}  // namespace

std::optional<DType> find_dtype(DataType dtype) noexcept {
  if (dtype.lanes != 1 || dtype.code >= kCodes || dtype.bits > kMostBits) return std::nullopt;
  const std::uint8_t found = kDTypes[dtype.code][dtype.bits];
  return found == kNone ? std::nullopt : std::optional(static_cast<DType>(found));
}

DType dtype_of(DataType dtype, const char* what) {
  if (const auto found = find_dtype(dtype)) return *found;
  if (dtype.lanes != 1) {
    throw TypeError(prefix(what) + "its dtype has " + std::to_string(dtype.lanes) +
                    " lanes, and kiln's have 1; give the lanes an axis of their own");
  }
  throw TypeError(prefix(what) + "a dtype of code " + std::to_string(dtype.code) + " with " + std::to_string(dtype.bits) +
                  " bits is none of kiln's: bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, "
                  "complex64, complex128");
}

DataType data_type(DType dtype) noexcept {
  return kDataTypes[static_cast<std::size_t>(dtype)];
}

std::optional<Device> device_of(Place place, const char* what) {
  switch (place.type) {
    case kCpu:
    case kCudaHost:
    case kRocmHost:
      return std::nullopt;
    case kCuda:
      return Device::cuda(index_of(place, what));
    case kRocm:
      return Device::hip(index_of(place, what));
    case kEmulated:
      return Device::emulated("sm_" + std::to_string(index_of(place, what)));
    default:
      throw DeviceError(prefix(what) + "memory of device type " + std::to_string(place.type) +
                        " is none that kiln reaches; it has those of CPU (1), CUDA (2, 3) and ROCm (10, 11)");
  }
}

Place place_of(const Device& device) {
  if (device.is_emulated()) {
    const std::string text = to_string(device);  // emulated:sm_90
    const std::size_t digits = text.find_last_not_of("0123456789") + 1;
    Place place{kEmulated, 0};
    std::from_chars(text.data() + digits, text.data() + text.size(), place.index);
    return place;
  }
  if (device.is_cpu()) return {kCpu, 0};
  return {device.kind() == DeviceKind::cuda ? kCuda : kRocm, device.index()};
}

void check_rank(std::int64_t rank, const char* what) {
  if (rank >= 0 && rank <= kMaxRank) return;
  throw ShapeError(prefix(what) + "an array of " + std::to_string(rank) + " axes; 0 to " + std::to_string(kMaxRank) +
                   " are possible");
}

void describe(const Tensor& tensor, ArrayRef& ref, std::int64_t* strides, const char* what) {
  check_rank(tensor.ndim, what);
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  if (rank != 0 && tensor.shape == nullptr) throw ShapeError(prefix(what) + "the tensor has axes, and its shape is NULL");
  ref.dtype = dtype_of(tensor.dtype, what);
  // The offset of a tensor without memory means nothing. That of another may be any number: it is added as one.
  if (tensor.data != nullptr)
    ref.data = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset);
  ref.shape = {tensor.shape, rank};
  if (tensor.device.type != kCpu) ref.device = device_of(tensor.device, what);
  // Older producers leave C order out.
  if (tensor.strides == nullptr) return;
  const auto item = static_cast<std::int64_t>(itemsize(ref.dtype));
  for (std::size_t d = 0; d < rank; ++d) {
    if (__builtin_mul_overflow(tensor.strides[d], item, &strides[d]))
      throw ShapeError(prefix(what) + "its strides in bytes do not fit in 63 bits");
  }
  ref.strides = {strides, rank};
}

namespace {

/// Holds a tensor of another library's. `taken` decides whether its deleter is called.
template <class Managed>
struct Owner {
  explicit Owner(Managed* tensor) noexcept : managed(tensor) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    if (taken && managed->deleter != nullptr) managed->deleter(managed);
  }
  Managed* managed;
  bool taken = false;
};

/// Makes later work on the default stream of the array's device wait for the work that the stream has so far.
void wait_for(const Stream& stream, const Device& device) {
  if (stream.is_default() || device.is_cpu()) return;
  const Event done(stream.device());
  done.record(stream);
  stream.device().same_memory(device) ? done.handle()->wait(nullptr) : done.synchronize();
}

template <class Managed>
Array import(Managed* managed, bool read_only, const Stream& producer) {
  std::int64_t strides[kMaxRank];
  ArrayRef ref;
  describe(managed->dl_tensor, ref, strides, "from_dlpack");
  auto owner = std::make_shared<Owner<Managed>>(managed);
  Array::ViewOptions options{.read_only = read_only, .owner = owner, .device = ref.device};
  if (!ref.strides.empty()) options.strides = Strides(ref.strides);
  Array array = Array::view(ref.data, Shape(ref.shape), ref.dtype, options);
  wait_for(producer, array.device());
  owner->taken = true;
  return array;
}

/// A tensor of kiln's, with its shape and strides behind it.
template <class Managed>
struct Export {
  Export(const Array& from, std::size_t rank) : array(from) {
    if (rank > Dims::kInline) more_dims = std::make_unique<std::int64_t[]>(2 * rank);
  }
  [[nodiscard]] std::int64_t* dims() noexcept { return more_dims != nullptr ? more_dims.get() : few_dims; }
  Managed managed{};
  Array array;
  std::unique_ptr<std::int64_t[]> more_dims;
  std::int64_t few_dims[2 * Dims::kInline];

  static void destroy(Managed* tensor) { delete static_cast<Export*>(tensor->manager_ctx); }
};

template <class Managed>
Managed* export_array(const Array& array, const Stream& consumer) {
  const detail::ArrayRep& rep = detail::rep_of(array);
  const std::size_t item = itemsize(rep.dtype);
  const int shift = std::countr_zero(item);  // every dtype has a power of two bytes
  const std::size_t rank = rep.shape.size();
  auto made = std::make_unique<Export<Managed>>(array, rank);
  std::int64_t* const dims = made->dims();
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t stride = rep.strides[d] >> shift;
    if (stride << shift != rep.strides[d]) {
      throw ShapeError("to_dlpack: the strides " + to_string(rep.strides) + " are no multiples of the " + std::to_string(item) +
                       " bytes of an element, in which DLPack counts; give a copy() of the array");
    }
    dims[d] = rep.shape[d];
    dims[rank + d] = stride;
  }
  made->managed.dl_tensor = {.data = rep.data,
                             .device = place_of(rep.device),
                             .ndim = static_cast<std::int32_t>(rank),
                             .dtype = data_type(rep.dtype),
                             .shape = dims,
                             .strides = dims + rank,
                             .byte_offset = 0};
  if (!consumer.is_default() && !rep.device.is_cpu()) {
    const Event done(rep.device);
    done.record();
    consumer.wait(done);
  }
  made->managed.manager_ctx = made.get();
  made->managed.deleter = Export<Managed>::destroy;
  return &made.release()->managed;
}

}  // namespace
}  // namespace kiln::dlpack

namespace kiln {

Array Array::from_dlpack(DLManagedTensorVersioned* tensor, const Stream& producer) {
  if (tensor == nullptr) throw TypeError("from_dlpack: the tensor is NULL");
  // The rest of the struct is that of another version: the deleter alone stands where it always will.
  if (const std::uint32_t major = tensor->version.major; major != 1) {
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
    throw TypeError("from_dlpack: the tensor has version " + std::to_string(major) + " of DLPack, and kiln reads version 1");
  }
  if (const std::uint64_t unknown = tensor->flags & ~dlpack::kKnownFlags; unknown != 0) {
    throw TypeError("from_dlpack: the tensor has flags that kiln does not know: " + std::to_string(unknown) +
                    "; ask its producer for one of DLPack 1.3 or older");
  }
  return dlpack::import(tensor, (tensor->flags & dlpack::kReadOnly) != 0, producer);
}

Array Array::from_dlpack(DLManagedTensor* tensor, const Stream& producer) {
  if (tensor == nullptr) throw TypeError("from_dlpack: the tensor is NULL");
  return dlpack::import(tensor, false, producer);
}

DLManagedTensorVersioned* Array::to_dlpack(const Stream& consumer) const {
  auto* const tensor = dlpack::export_array<DLManagedTensorVersioned>(*this, consumer);
  tensor->version = {.major = 1, .minor = 3};
  tensor->flags = read_only() ? dlpack::kReadOnly : 0;
  return tensor;
}

DLManagedTensor* Array::to_dlpack_unversioned(const Stream& consumer) const {
  if (read_only()) {
    throw TypeError(
        "to_dlpack: the array is read-only, which the older form of a tensor cannot say; take the versioned form, or "
        "give a copy()");
  }
  return dlpack::export_array<DLManagedTensor>(*this, consumer);
}

}  // namespace kiln

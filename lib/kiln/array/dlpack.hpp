// DLPack's structs, by their published layout (version 1), and what they say in kiln's terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kiln/array_ref.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"

namespace kiln::dlpack {

struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Place {
  std::int32_t type;
  std::int32_t index;
};

/// DLTensor.
struct Tensor {
  void* data;
  Place device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements
  std::uint64_t byte_offset;
};

enum : std::int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kRocm = 10, kRocmHost = 11, kEmulated = 1200 };
inline constexpr std::uint64_t kReadOnly = 1;
inline constexpr std::uint64_t kKnownFlags = 7;  // read-only, copied, padded elements of less than a byte
inline constexpr int kMaxRank = 64;

/// Returns the dtype. Throws TypeError for lanes and for a dtype that kiln does not have. `what` is the operand, for messages.
[[nodiscard]] DType dtype_of(DataType dtype, const char* what);
[[nodiscard]] DataType data_type(DType dtype) noexcept;

/// Returns the device of memory; none for the host's. Throws DeviceError for a type that kiln does not have.
[[nodiscard]] std::optional<Device> device_of(Place place, const char* what);
[[nodiscard]] Place place_of(const Device& device);

/// Returns the dtype; nothing if kiln has none such.
[[nodiscard]] std::optional<DType> find_dtype(DataType dtype) noexcept;

/// Fills a fresh `ref` with the memory of the tensor. `strides` has room for the tensor's strides in bytes. Throws ShapeError,
/// TypeError or DeviceError for a tensor that cannot be right.
void describe(const Tensor& tensor, ArrayRef& ref, std::int64_t* strides, const char* what);

/// Throws ShapeError unless the number of axes is one that kiln has.
void check_rank(std::int64_t rank, const char* what);

}  // namespace kiln::dlpack

struct DLManagedTensor {
  kiln::dlpack::Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};

struct DLManagedTensorVersioned {
  struct {
    std::uint32_t major;
    std::uint32_t minor;
  } version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  std::uint64_t flags;
  kiln::dlpack::Tensor dl_tensor;
};

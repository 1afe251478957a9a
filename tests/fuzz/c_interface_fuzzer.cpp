// Operands and options of C: a call is planned or refused, and an array that is made has the tensor's shape. No element is
// read.
#include <array>
#include <cstdint>
#include <cstring>

#include "array/dlpack.hpp"
#include "kiln/c/kiln.h"
#include "targets.hpp"

namespace kiln::fuzz {
namespace {

/// Numbers from the bytes; 0 where they end.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  T next() {
    T number{};
    const std::size_t count = std::min(bytes_.size(), sizeof(T));
    std::memcpy(&number, bytes_.data(), count);
    bytes_.remove_prefix(count);
    return number;
  }

 private:
  std::string_view bytes_;
};

/// A tensor with what it points to.
struct Lie {
  std::array<std::int64_t, dlpack::kMaxRank> shape{};
  std::array<std::int64_t, dlpack::kMaxRank> strides{};
  alignas(64) std::array<char, 64> data{};
  dlpack::Tensor tensor{};

  explicit Lie(Numbers& numbers) {
    const auto flags = numbers.next<std::uint8_t>();
    tensor.ndim = (flags & 1) != 0 ? numbers.next<std::int32_t>() : numbers.next<std::uint8_t>() % 5;
    tensor.dtype = {numbers.next<std::uint8_t>(), numbers.next<std::uint8_t>(), numbers.next<std::uint16_t>()};
    if ((flags & 2) == 0) tensor.dtype = {2, 64, 1};
    tensor.device = {(flags & 4) != 0 ? numbers.next<std::int32_t>() : 1, numbers.next<std::uint8_t>()};
    tensor.data = (flags & 8) != 0 ? nullptr : data.data();
    tensor.byte_offset = (flags & 16) != 0 ? numbers.next<std::uint64_t>() : 0;
    for (std::size_t d = 0; d < 5; ++d) {
      shape[d] = (flags & 32) != 0 ? numbers.next<std::int64_t>() : numbers.next<std::uint8_t>() % 4;
      strides[d] = (flags & 64) != 0 ? numbers.next<std::int64_t>() : 1;
    }
    tensor.shape = shape.data();
    if ((flags & 128) == 0) tensor.strides = strides.data();
  }
};

const kiln_function* add() {
  static kiln_function* const made = [] {
    kiln_function* function = nullptr;
    require(kiln_function_math(&function, "add", KILN_NUL, nullptr) == KILN_OK, "kiln has an add");
    return function;
  }();
  return made;
}

void check(kiln_status status, kiln_error* error) {
  require(status == KILN_OK || kiln_error_status(error) == status, "a failure has an error of its status");
  require(status == KILN_OK || *kiln_error_message(error) != '\0', "an error has a message");
  require(status != KILN_E_INTERNAL, "no operand makes kiln fail");
  kiln_error_release(error);
}

}  // namespace

void c_interface(std::string_view bytes) {
  Numbers numbers(bytes);
  const Lie first(numbers);
  const Lie second(numbers);
  kiln_arg inputs[2] = {kiln_tensor_arg(&first.tensor), kiln_tensor_arg(&second.tensor)};
  if (numbers.next<std::uint8_t>() == 1) {
    inputs[1] = kiln_i64(numbers.next<std::int64_t>());
    inputs[1].dtype = {numbers.next<std::uint8_t>(), numbers.next<std::uint8_t>(), 1};
  }
  kiln_arg output{};
  output.kind = numbers.next<std::uint8_t>();
  if (output.kind == KILN_DLTENSOR) output.value.tensor = &second.tensor;
  kiln_call_options options = kiln_call_options_default();
  options.struct_size = numbers.next<std::uint8_t>() == 1 ? numbers.next<std::uint16_t>() % sizeof options : sizeof options;
  options.casting = numbers.next<std::uint8_t>();
  options.keepdims = numbers.next<std::uint8_t>();
  options.dtype = {numbers.next<std::uint8_t>(), numbers.next<std::uint8_t>(), numbers.next<std::uint8_t>()};
  options.where.kind = numbers.next<std::uint8_t>();
  options.device = {numbers.next<std::uint8_t>() % 3, 0};
  options.timeout_ns = numbers.next<std::int64_t>();
  kiln_error* error = nullptr;
  kiln_text* plan = nullptr;
  const kiln_status planned = kiln_resolve(&plan, add(), &output, 1, inputs, 2, &options, &error);
  check(planned, error);
  kiln_text_release(plan);

  DLManagedTensor managed{};
  managed.dl_tensor = first.tensor;
  kiln_array* array = nullptr;
  error = nullptr;
  const kiln_status imported = kiln_array_from_dlpack(&array, &managed, 0, nullptr, &error);
  check(imported, error);
  if (array == nullptr) return;
  kiln_array_info info = kiln_array_info_default();
  require(kiln_array_describe(array, &info, nullptr) == KILN_OK, "an array describes itself");
  require(info.ndim == first.tensor.ndim, "an array has the tensor's axes");
  for (std::int32_t d = 0; d < info.ndim; ++d)
    require(info.shape[d] == first.shape[static_cast<std::size_t>(d)], "its extents are the tensor's");
  kiln_array_release(array);
}

}  // namespace kiln::fuzz

#include "c/operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "array/dlpack.hpp"
#include "c/argument_error.hpp"
#include "c/array.hpp"
#include "c/stream.hpp"
#include "c/text.hpp"
#include "c/values.hpp"
#include "call/arrays_of.hpp"

namespace kiln::c {
namespace {

/// The names of operands in messages, which a call does not make: "inputs[2]".
struct Names {
  static constexpr std::size_t kCount = 64;
  std::array<std::array<char, 16>, kCount> texts{};

  consteval explicit Names(std::string_view list) {
    for (std::size_t i = 0; i < kCount; ++i) {
      auto next = std::copy(list.begin(), list.end(), texts[i].begin());
      *next++ = '[';
      if (i >= 10) *next++ = static_cast<char>('0' + i / 10);
      *next++ = static_cast<char>('0' + i % 10);
      *next = ']';
    }
  }
  [[nodiscard]] const char* of(std::size_t number) const noexcept { return texts[std::min(number, kCount - 1)].data(); }
};
constexpr Names kInputs("inputs");
constexpr Names kOutputs("outputs");

[[noreturn]] void fail_kind(const kiln_arg& arg, const char* what) {
  throw ArgumentError(fmt::format("{}: {} is no kiln_arg_kind", what, arg.kind), what);
}

template <class T>
Arg integer_arg(const kiln_arg& arg, const char* what) {
  const bool fits = std::is_signed_v<T> ? std::in_range<T>(arg.value.i) : std::in_range<T>(arg.value.u);
  if (!fits) {
    throw ArgumentError(fmt::format("{}: {} does not fit in {}", what,
                                    std::is_signed_v<T> ? fmt::format("{}", arg.value.i) : fmt::format("{}", arg.value.u),
                                    kiln::name(kiln::dtype_of<T>)),
                        what);
  }
  return {std::is_signed_v<T> ? static_cast<T>(arg.value.i) : static_cast<T>(arg.value.u)};
}

Arg scalar_in_place(const kiln_arg& arg, const char* what) {
  switch (const DType dtype = dtype_of(arg.dtype, what)) {
    case DType::bool_:
      if (arg.value.u > 1) throw ArgumentError(fmt::format("{}: a bool is 0 or 1, and this is {}", what, arg.value.u), what);
      return {arg.value.u != 0};
    case DType::int8:
      return integer_arg<std::int8_t>(arg, what);
    case DType::int16:
      return integer_arg<std::int16_t>(arg, what);
    case DType::int32:
      return integer_arg<std::int32_t>(arg, what);
    case DType::int64:
      return {arg.value.i};
    case DType::uint8:
      return integer_arg<std::uint8_t>(arg, what);
    case DType::uint16:
      return integer_arg<std::uint16_t>(arg, what);
    case DType::uint32:
      return integer_arg<std::uint32_t>(arg, what);
    case DType::uint64:
      return {arg.value.u};
    case DType::float32:
      return {static_cast<float>(arg.value.f)};
    case DType::float64:
      return {arg.value.f};
    case DType::complex64:
      return {std::complex<float>(arg.value.c[0], arg.value.c[1])};
    default:
      throw ArgumentError(
          fmt::format("{}: a scalar of {} is given as KILN_SCALAR_AT, by the address of its bytes", what, kiln::name(dtype)),
          what);
  }
}

}  // namespace

Arg scalar_of(const kiln_arg& arg, const char* what) {
  if (arg.kind == KILN_SCALAR) return scalar_in_place(arg, what);
  if (arg.kind != KILN_SCALAR_AT) throw ArgumentError(fmt::format("{} is no scalar", what), what);
  if (arg.value.at == nullptr) fail_null(what);
  return Arg::of_bytes(dtype_of(arg.dtype, what), arg.value.at);
}

void describe(const kiln_array_info& info, ArrayRef& ref, const char* what) {
  dlpack::check_rank(info.ndim, what);
  const auto rank = static_cast<std::size_t>(info.ndim);
  if (rank != 0 && info.shape == nullptr) fail_shape(fmt::format("{}: the array has axes, and its shape is NULL", what));
  ref.data = info.data;
  ref.dtype = dtype_of(info.dtype, what);
  ref.shape = {info.shape, rank};
  if (info.strides != nullptr) ref.strides = {info.strides, rank};
  ref.device = memory_device(info.device, what);
  ref.read_only = info.read_only != 0;
}

Operands::Operands(const kiln_arg* outputs, std::size_t nout, const kiln_arg* inputs, std::size_t nin, const kiln_arg* where,
                   const kiln_stream* stream)
    : stream_(stream), refs_(nin + nout + 1), inputs_(nin), outputs_(nout) {
  if (nout != 0 && outputs == nullptr) fail_null("outputs");
  if (nin != 0 && inputs == nullptr) fail_null("inputs");
  for (std::size_t i = 0; i < nin; ++i) add_input(inputs[i], i);
  for (std::size_t i = 0; i < nout; ++i) add_output(outputs[i], i);
  if (where != nullptr && where->kind != KILN_NONE) add_array(where_, *where, "kiln_call_options.where");
}

void Operands::add_input(const kiln_arg& arg, std::size_t number) {
  const char* const name = kInputs.of(number);
  switch (arg.kind) {
    case KILN_SCALAR:
    case KILN_SCALAR_AT:
      inputs_.add(scalar_of(arg, name));
      return;
    case KILN_NONE:
      throw ArgumentError(fmt::format("{} is KILN_NONE: an input is an array or a scalar", name), name);
    default:
      add_array(inputs_, arg, name);
  }
}

void Operands::add_output(const kiln_arg& arg, std::size_t number) {
  const char* const name = kOutputs.of(number);
  if (arg.kind == KILN_SCALAR || arg.kind == KILN_SCALAR_AT) {
    throw ArgumentError(fmt::format("{} is a scalar: an output is an array, or KILN_NONE for a new one", name), name);
  }
  if (arg.kind == KILN_NONE) {
    fresh_ = true;
    outputs_.add();
    return;
  }
  given_ = true;
  add_array(outputs_, arg, name);
}

template <class List>
void Operands::add_array(List& list, const kiln_arg& arg, const char* what) {
  switch (arg.kind) {
    case KILN_ARRAY: {
      const Array& array = checked(arg.value.array, what).array;
      wait_for(arg, array);
      list.add(array);
      return;
    }
    case KILN_DLTENSOR:
      list.add(tensor_ref(arg.value.tensor, arg, what));
      return;
    case KILN_MEMORY:
      list.add(memory_ref(arg.value.memory, arg, what));
      return;
    default:
      fail_kind(arg, what);
  }
}

Operands::More& Operands::more() {
  if (more_ == nullptr) more_ = std::make_unique<More>();
  return *more_;
}

std::int64_t* Operands::strides(std::size_t count) {
  if (strides_used_ + count <= kInlineStrides) {
    std::int64_t* const found = strides_ + strides_used_;
    strides_used_ += count;
    return found;
  }
  return more().strides.emplace_back(std::make_unique<std::int64_t[]>(count)).get();
}

const ArrayRef& Operands::tensor_ref(const void* tensor, const kiln_arg& arg, const char* what) {
  if (tensor == nullptr) fail_null(what);
  const auto& given = *static_cast<const dlpack::Tensor*>(tensor);
  dlpack::check_rank(given.ndim, what);
  ArrayRef& ref = refs_.add();
  dlpack::describe(given, ref, strides(static_cast<std::size_t>(given.ndim)), what);
  ref.ready = event_of(arg);
  return ref;
}

const ArrayRef& Operands::memory_ref(const kiln_array_info* info, const kiln_arg& arg, const char* what) {
  if (info == nullptr) fail_null(what);
  kiln_array_info storage;
  ArrayRef& ref = refs_.add();
  describe(struct_of(*info, kArrayInfoBytes, storage, "kiln_array_info"), ref, what);
  ref.ready = event_of(arg);
  return ref;
}

const Event* Operands::event_of(const kiln_arg& arg) {
  if (arg.ready == nullptr || arg.ready == stream_) return nullptr;
  for (const auto& [stream, event] : more().events) {
    if (stream == arg.ready) return event.get();
  }
  const Stream& stream = checked(arg.ready, "ready").stream;
  auto event = std::make_unique<Event>(stream.device());
  event->record(stream);
  return more().events.emplace_back(arg.ready, std::move(event)).second.get();
}

void Operands::wait_for(const kiln_arg& arg, const Array& array) {
  const Event* const event = event_of(arg);
  if (event == nullptr) return;
  const bool on_stream = stream_ != nullptr && checked(stream_, "stream").stream.device().same_memory(event->device());
  on_stream && !array.is_host() ? stream_->stream.wait(*event) : event->synchronize();
}

Array array_of(const kiln_arg& arg, const char* what) {
  if (arg.ready != nullptr) checked(arg.ready, "ready").stream.synchronize();
  std::int64_t strides[dlpack::kMaxRank];
  ArrayRef ref;
  switch (arg.kind) {
    case KILN_ARRAY:
      return checked(arg.value.array, what).array;
    case KILN_DLTENSOR:
      if (arg.value.tensor == nullptr) fail_null(what);
      dlpack::describe(*static_cast<const dlpack::Tensor*>(arg.value.tensor), ref, strides, what);
      return call::array_of(ref);
    case KILN_MEMORY: {
      if (arg.value.memory == nullptr) fail_null(what);
      kiln_array_info storage;
      describe(struct_of(*arg.value.memory, kArrayInfoBytes, storage, "kiln_array_info"), ref, what);
      return call::array_of(ref);
    }
    case KILN_NONE:
    case KILN_SCALAR:
    case KILN_SCALAR_AT:
      throw ArgumentError(fmt::format("{}: an array is expected", what), what);
    default:
      fail_kind(arg, what);
  }
}

}  // namespace kiln::c

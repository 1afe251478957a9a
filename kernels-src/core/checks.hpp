// What kernels check that are compiled for debugging, and what they do where a check fails: the first fault goes to a buffer
// that the library reads, and the kernel goes on to its end. checks_cpu.hpp and checks_gpu.hpp, which end in this, have where a
// thread is; other kernels include none of them.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/core/faults.hpp"

extern "C" {
KILN_FAULT_BUFFER kiln::kinds::FaultBuffer kiln_faults;
}

namespace kiln::debug {

using kinds::Fault;
using kinds::FaultKind;
using kinds::FaultPlace;

KILN_FN void copy_text(char* to, const char* from) {
  int32 i = 0;
  for (; from != nullptr && from[i] != 0 && i < kinds::kFaultChars - 1; ++i) {
    to[i] = from[i];
  }
  to[i] = 0;
}

// Null: another fault was first.
KILN_NOINLINE Fault* begin_fault(FaultKind kind, int line, int column, const char* file) {
  KILN_ATOMIC_ADD(&kiln_faults.count, 1u);
  if (!KILN_ATOMIC_CLAIM(&kiln_faults.claimed)) {
    return nullptr;
  }
  Fault& fault = kiln_faults.first;
  fault.kind = kind;
  fault.argument = -1;
  fault.rank = 0;
  fault.place = place();
  fault.line = line;
  fault.column = column;
  copy_text(fault.file, file);
  return &fault;
}

KILN_NOINLINE void* out_of_bounds(int argument, int writes, int rank, const int64* index, const int64* extent, int line,
                                  int column, const char* file) {
  if (Fault* const fault = begin_fault(FaultKind::bounds, line, column, file)) {
    fault->argument = argument;
    fault->rank = rank;
    for (int d = 0; d < rank && d < kinds::kFaultRank; ++d) {
      fault->index[d] = index[d];
      fault->extent[d] = extent[d];
    }
  }
  return writes != 0 ? kiln_faults.sink : kiln_faults.zeros;
}

KILN_NOINLINE void array_out_of_bounds(int64 index, int64 extent, int line, int column, const char* file) {
  if (Fault* const fault = begin_fault(FaultKind::array, line, column, file)) {
    fault->index[0] = index;
    fault->extent[0] = extent;
    fault->text[0] = 0;
  }
}

KILN_NOINLINE void too_much_shared(int64 bytes, int64 left, int line, int column, const char* file) {
  if (Fault* const fault = begin_fault(FaultKind::shared, line, column, file)) {
    fault->index[0] = bytes;
    fault->extent[0] = left;
  }
}

KILN_NOINLINE void divided_by_zero(int64 dividend, int op, int line, int column, const char* file) {
  if (Fault* const fault = begin_fault(FaultKind::division, line, column, file)) {
    fault->index[0] = dividend;
    fault->text[0] = char(op);
    fault->text[1] = 0;
  }
}

KILN_NOINLINE void nan_result(int argument) {
  if (Fault* const fault = begin_fault(FaultKind::nan, 0, 0, nullptr)) {
    fault->argument = argument;
  }
}

// By its bits: fast mathematics takes it that there is none.
template <class T>
KILN_FN bool is_nan(const T& x) {
  if constexpr (is_complex<T>) {
    return is_nan(x.re) || is_nan(x.im);
  } else if constexpr (same<T, double>) {
    return (bit_cast<uint64>(x) & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
  } else if constexpr (same<T, float>) {
    return (bit_cast<uint32>(x) & 0x7fffffffu) > 0x7f800000u;
  } else if constexpr (is_half<T>) {
    return is_nan(static_cast<float>(x));
  } else {
    return false;
  }
}
template <class T>
KILN_FN void check_result(const T& x, int argument) {
  if (is_nan(x)) {
    nan_result(argument);
  }
}

// An index with the place in the text where it is one.
struct at {
  int64 index;
  int line;
  int column;
  const char* file;
  template <class I>
    requires(is_object<I> && !requires(const I& i) { i.kiln_is_place; })
  KILN_CONSTEXPR_FN at(I&& i, int l = __builtin_LINE(), int c = KILN_COLUMN, const char* f = __builtin_FILE())
      : index(int64(static_cast<I&&>(i))), line(l), column(c), file(f) {}
  template <class I>
    requires(!is_object<I>)
  KILN_CONSTEXPR_FN at(I i, int l = __builtin_LINE(), int c = KILN_COLUMN, const char* f = __builtin_FILE())
      : index(int64(i)), line(l), column(c), file(f) {}
  static constexpr bool kiln_is_place = true;
};
template <class>
using at_of = at;

}  // namespace kiln::debug

#if KILN_SANITIZER
// What Clang's checks call: -fsanitize=shift-exponent,float-cast-overflow,array-bounds. The structures are its own.
namespace kiln::debug {

struct sanitized_type {
  uint16 kind;  // 0: an integer, 1: a floating-point number
  uint16 info;  // of an integer, 2 * log2(bits) + whether it is signed; else bits
  char name[1];
};
struct sanitized_place {
  const char* file;
  uint32 line;
  uint32 column;
};
struct sanitized_shift {
  sanitized_place place;
  const sanitized_type* shifted;
  const sanitized_type* amount;
};
struct sanitized_conversion {
  sanitized_place place;
  const sanitized_type* from;
  const sanitized_type* to;
};
struct sanitized_index {
  sanitized_place place;
  const sanitized_type* array;
  const sanitized_type* index;
};

KILN_FN bool is_signed(const sanitized_type& type) {
  return (type.info & 1) != 0;
}
KILN_FN int bits_of(const sanitized_type& type) {
  return 1 << (type.info >> 1);
}
KILN_FN int64 value_of(const sanitized_type& type, uint64 bits) {
  const int unused = 64 - bits_of(type);
  return unused <= 0 || !is_signed(type) ? int64(bits) : int64(bits << unused) >> unused;
}

}  // namespace kiln::debug

extern "C" {
KILN_SANITIZER_HANDLER void __ubsan_handle_shift_out_of_bounds(KILN_SANITIZER_DATA kiln::debug::sanitized_shift* data,
                                                               kiln::uint64 shifted, kiln::uint64 amount) {
  using namespace kiln::debug;
  if (Fault* const fault = begin_fault(FaultKind::shift, int(data->place.line), int(data->place.column), data->place.file)) {
    fault->bits = bits_of(*data->shifted);
    fault->index[0] = value_of(*data->amount, amount);
    copy_text(fault->text, data->shifted->name);
  }
}
KILN_SANITIZER_HANDLER void __ubsan_handle_float_cast_overflow(KILN_SANITIZER_DATA kiln::debug::sanitized_conversion* data,
                                                               kiln::uint64 from) {
  using namespace kiln::debug;
  if (Fault* const fault =
          begin_fault(FaultKind::conversion, int(data->place.line), int(data->place.column), data->place.file)) {
    fault->value = data->from->info == 32 ? double(kiln::bit_cast<float>(kiln::uint32(from))) : kiln::bit_cast<double>(from);
    copy_text(fault->text, data->from->name);
    copy_text(fault->to, data->to->name);
  }
}
KILN_SANITIZER_HANDLER void __ubsan_handle_out_of_bounds(KILN_SANITIZER_DATA kiln::debug::sanitized_index* data,
                                                         kiln::uint64 index) {
  using namespace kiln::debug;
  if (Fault* const fault = begin_fault(FaultKind::array, int(data->place.line), int(data->place.column), data->place.file)) {
    fault->index[0] = value_of(*data->index, index);
    copy_text(fault->text, data->array->name);
  }
}
}
#endif

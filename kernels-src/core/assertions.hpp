// assert() and print() for bodies. Without `.compile.debug` an assertion is nothing, and print() is refused.
#pragma once
#include "kiln/core/types.hpp"

#if KILN_DEBUG

namespace kiln {
namespace debug {

using kinds::PrintKind;
using kinds::PrintRecord;
using kinds::PrintValue;

KILN_NOINLINE void failed(const char* condition, int line, int column, const char* file) {
  if (Fault* const fault = begin_fault(FaultKind::assertion, line, column, file)) {
    copy_text(fault->text, condition);
  }
}

template <class T>
KILN_FN PrintValue printed(const T& x) {
  if constexpr (same<T, bool>) {
    return {PrintKind::boolean, 0, {x, 0}};
  } else if constexpr (is_half<T>) {
    return {PrintKind::single, 0, {bit_cast<uint32>(static_cast<float>(x)), 0}};
  } else if constexpr (same<T, float>) {
    return {PrintKind::single, 0, {bit_cast<uint32>(x), 0}};
  } else if constexpr (same<T, double>) {
    return {PrintKind::real, 0, {bit_cast<uint64>(x), 0}};
  } else if constexpr (is_complex<T>) {
    constexpr PrintKind kind = sizeof(x.re) == 4 ? PrintKind::complex_single : PrintKind::complex_real;
    return {kind, 0, {printed(x.re).bits[0], printed(x.im).bits[0]}};
  } else if constexpr (integer<T>) {
    return {T(-1) < T(0) ? PrintKind::integer : PrintKind::natural, 0, {uint64(int64(x)), 0}};
  } else {
    static_assert(requires { x.kiln_now(); }, "print() takes numbers, bool and complex numbers");
    return printed(x.kiln_now());
  }
}

KILN_NOINLINE void print_values(const char* format, const PrintValue* values, int count) {
  int64 length = 0;
  while (format[length] != 0) {
    ++length;
  }
  const int64 bytes = (int64(sizeof(PrintRecord)) + count * int64(sizeof(PrintValue)) + length + 7) / 8 * 8;
  // What has no room leaves none to those behind it.
  const int64 begin = int64(KILN_ATOMIC_ADD(&kiln_faults.printed, uint64(bytes)));
  if (begin + bytes > kinds::kPrintBytes) {
    KILN_ATOMIC_ADD(&kiln_faults.dropped, 1u);
    return;
  }
  auto* const record = reinterpret_cast<PrintRecord*>(kiln_faults.prints + begin);
  record->bytes = uint32(bytes);
  record->values = uint32(count);
  record->place = place();
  record->format_bytes = uint32(length);
  auto* const to = reinterpret_cast<PrintValue*>(record + 1);
  for (int i = 0; i < count; ++i) {
    to[i] = values[i];
  }
  auto* const text = reinterpret_cast<char*>(to + count);
  for (int64 i = 0; i < length; ++i) {
    text[i] = format[i];
  }
}

}  // namespace debug

// What the macro calls, by a name that no macro of the user's has.
KILN_FN void kiln_failed(const char* condition, int line, int column, const char* file) {
  debug::failed(condition, line, column, file);
}

// The format is {fmt}'s: print("{} {:.3f}", i, x). Numbers, bool and complex numbers.
template <class... T>
KILN_FN void print(const char* format, const T&... x) {
  const debug::PrintValue values[sizeof...(T) + 1] = {debug::printed(x)...};
  debug::print_values(format, values, int(sizeof...(T)));
}

}  // namespace kiln

#define assert(...)                                      \
  (static_cast<bool>(__VA_ARGS__) ? static_cast<void>(0) \
                                  : kiln_failed(#__VA_ARGS__, __builtin_LINE(), KILN_COLUMN, __builtin_FILE()))

#else

#define assert(...) static_cast<void>(0)

namespace kiln {

template <class... only_in_debug_mode>
KILN_FN void print(const char*, const only_in_debug_mode&...)
    KILN_REFUSED("print() needs .compile = {.debug = {.on = true}}, or KILN_DEBUG=1");

}  // namespace kiln

#endif

// Running results on the CPU: the loops that are compiled for each kernel. What moves elements into lanes and walks the
// dimensions is lib/kiln/kernel/scan/cpu.cpp, compiled with the library. The other side of kernels-src/scan/abi.hpp.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/scan/abi.hpp"

namespace kiln::loops {

// Lanes come in whole blocks of 64, so that vector loops need no scalar remainder: libm's vector functions and its scalar ones
// differ in the last bits, and a result must not depend on where its lane stands.
template <class Work>
KILN_NOINLINE void scan_first(const void* in, void* t, int64 lanes) {
  const auto* const x = static_cast<const typename Work::in*>(in);
  auto* const r = static_cast<typename Work::value*>(t);
#pragma clang loop vectorize(assume_safety)
  for (int64 i = 0; i < lanes / 64 * 64; ++i) {
    Work::first(r[i], x[i]);
  }
}

template <class Work>
KILN_NOINLINE void scan_next(const void* before, const void* in, void* t, int64 lanes) {
  const auto* const b = static_cast<const typename Work::value*>(before);
  const auto* const x = static_cast<const typename Work::in*>(in);
  auto* const r = static_cast<typename Work::value*>(t);
#pragma clang loop vectorize(assume_safety)
  for (int64 i = 0; i < lanes / 64 * 64; ++i) {
    Work::next(r[i], b[i], x[i]);
  }
}

template <class Work>
KILN_NOINLINE void scan_rows(const void* in, void* t, int64 rows, int64 lanes) {
  const auto* x = static_cast<const typename Work::in*>(in);
  auto* r = static_cast<typename Work::value*>(t);
  for (int64 row = 0; row < rows; ++row) {
#pragma clang loop vectorize(assume_safety)
    for (int64 i = 0; i < lanes / 64 * 64; ++i) {
      Work::next(r[i], r[i - lanes], x[i]);
    }
    x += lanes;
    r += lanes;
  }
}

template <class Work>
KILN_NOINLINE void scan_join(const void* before, void* t, int64 rows, int64 lanes) {
  const auto* const b = static_cast<const typename Work::value*>(before);
  auto* r = static_cast<typename Work::value*>(t);
  for (int64 row = 0; row < rows; ++row) {
#pragma clang loop vectorize(assume_safety)
    for (int64 i = 0; i < lanes / 64 * 64; ++i) {
      Work::join(r[i], b[i], r[i]);
    }
    r += lanes;
  }
}

template <class Work>
KILN_NOINLINE void scan_last(const void* t, void* out, int64 lanes) {
  const auto* const x = static_cast<const typename Work::value*>(t);
  auto* const r = static_cast<typename Work::out*>(out);
#pragma clang loop vectorize(assume_safety)
  for (int64 i = 0; i < lanes / 64 * 64; ++i) {
    Work::last(r[i], x[i]);
  }
}

template <class Work>
KILN_NOINLINE void scan_fold(const void* in, void* t, int64 count) {
  const auto* const x = static_cast<const typename Work::in*>(in);
  auto* const r = static_cast<typename Work::value*>(t);
  // Through a register: a store that is loaded again would take longer than most operations.
  auto running = r[-1];
  for (int64 i = 0; i < count; ++i) {
    KILN_NEXT_ITEM();
    Work::next(running, running, x[i]);
    r[i] = running;
  }
}

template <class Work>
KILN_NOINLINE void scan_chain(const void* t, void* before, void* carry, int64 count) {
  const auto* const x = static_cast<const typename Work::value*>(t);
  auto* const b = static_cast<typename Work::value*>(before);
  auto running = *static_cast<typename Work::value*>(carry);
  for (int64 i = 0; i < count; ++i) {
    b[i] = running;
    Work::join(running, running, x[i]);
  }
  *static_cast<typename Work::value*>(carry) = running;
}

}  // namespace kiln::loops

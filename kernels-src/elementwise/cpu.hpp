// The elementwise loop on the CPU: the only code that is compiled for each kernel. What walks rows, buffers strided operands
// and cuts the work is lib/kiln/kernel/elementwise/driver.cpp, compiled with the library. See kernels-src/elementwise/abi.hpp
// for both.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/elementwise/abi.hpp"
#if KILN_DEBUG
#include "kiln/elementwise/rows_cpu.hpp"
#endif

namespace kiln::loops {

// Whether a block where no element counts is left out: lib/clang/passes/masked_bodies.cpp says so of an expensive body that is
// computed for every element of other blocks.
extern "C" __attribute__((const, nothrow)) bool kiln_leaves_blocks();

template <class Work>
concept masked = requires(const Work& work) { work.leave(int64()); };
template <class Work>
KILN_FN bool leaves(const Work& work, int64 from, int64 count) {
  if constexpr (masked<Work>) {
    if (!kiln_leaves_blocks()) return false;
    bool any = false;
    for (int64 i = from; i < from + count; ++i) {
      any |= work.counts(i);
    }
    if (any) return false;
    for (int64 i = from; i < from + count; ++i) {
      work.leave(i);
    }
    return true;
  }
  return false;
}

// Whole blocks of 64 elements, so that vector loops need no scalar remainder: libm's vector functions and its scalar ones
// differ in the last bits, and a result must not depend on where its element stands. Not inlined for the same reason. By !=,
// not by <, the compiler sees that whole vectors leave nothing over, and has no loops for it: 345 bytes instead of 671 of exp
// of float32, and first calls of tanh and pow take 34 and 54 ms instead of 38 and 60.
template <class Work>
KILN_NOINLINE void run_blocks(void* const* operands, int64 count, int64, int64) {
  if (count <= 0) return;
  Work work(operands, 0, 0);
  if constexpr (masked<Work>) {
    if (kiln_leaves_blocks()) {
#pragma clang loop unroll(disable)
      for (int64 block = 0; block < count; ++block) {
        if (leaves(work, block * 64, 64)) continue;
#pragma clang loop vectorize(assume_safety) unroll(disable)
        for (int64 i = block * 64; i != block * 64 + 64; ++i) {
          work.one(i);
        }
      }
      return;
    }
  }
#pragma clang loop vectorize(assume_safety)
  for (int64 i = 0; i != count * 64; ++i) {
    work.one(i);
  }
}

// The same where the blocks go across rows of `columns` elements, from the element `first` of a row on, and broadcast operands
// have each row's value over 32 lanes. 32 elements that go over the end of their row begin that much before the end of the
// row's lanes: the next row's are behind them. The inner loop must not be unrolled: unrolled before it is vectorized, it would
// never be (10 times as slow, and libm's scalar functions instead of its vector ones); interleaved, vectors of bytes would be
// more than it has.
template <class Work>
KILN_NOINLINE void run_rows(void* const* operands, int64 count, int64 columns, int64 first) {
  int64 left = columns - first;
  int64 row = 0;
#pragma clang loop unroll(disable)
  for (int64 part = 0; part < 2 * count; ++part) {
    Work work(operands, part * 32, row + (left < 32 ? 32 - left : 0));
    if (!leaves(work, 0, 32)) {
#pragma clang loop vectorize(assume_safety) unroll(disable)
      for (int64 i = 0; i < 32; ++i) {
        work.one(i);
      }
    }
    left -= 32;
    row += left > 0 ? 0 : 32;
    left += left > 0 ? 0 : columns;
  }
}

#if KILN_DEBUG
// Whether a check of the body fails for an element. As it is written it reports, and gives true:
// lib/clang/passes/noted_faults.cpp makes of these three what their names say, where a body does nothing but compute. It
// knows them by their names; static, or LLVM would not tell what they do to memory.
template <class Row>
static KILN_FN bool notes_fault(const Row& row, int64 i) {
  row.check(i);
  return true;
}
template <class Row>
static KILN_NOINLINE bool notes_faults(const kinds::CpuLaunch* launch, char* const* p, int64 count) {
  const Row row(launch, p);
  bool any = false;
#pragma clang loop vectorize(assume_safety)
  for (int64 i = 0; i < count; ++i) {
    any |= notes_fault(row, i);
  }
  int32 noted = any;
  asm("" : "+r"(noted));  // or callers know that no check fails, and what else the body does would have no item
  return noted != 0;
}
template <class Row>
static KILN_NOINLINE void compute_unreported(const kinds::CpuLaunch* launch, char* const* p, int64 count) {
  const Row row(launch, p);
#pragma clang loop vectorize(assume_safety)
  for (int64 i = 0; i < count; ++i) {
    row.one(i);
  }
}

// The row of which `first` is the number of the first element. Checks that fail are reported, with their element. Nothing is
// stored before it is known whether any does: an output may be an input.
template <class Row>
KILN_FN void compute_row(const kinds::CpuLaunch* launch, char* const* p, int64 first, int64 count) {
  if (!notes_faults<Row>(launch, p, count)) {
    return compute_unreported<Row>(launch, p, count);
  }
  const Row row(launch, p);
#pragma clang loop vectorize(assume_safety)
  for (int64 i = 0; i < count; ++i) {
    debug::enter_item(first + i);
    row.one(i);
  }
}

// Whether results that were stored are NaN.
template <class Result>
KILN_FN void check_row(int64 count, int64 first, int argument, const Result& result) {
  bool any = false;
  for (int64 i = 0; i < count; ++i) {
    any |= debug::is_nan(result(i));
  }
  for (int64 i = 0; any && i < count; ++i) {
    debug::enter_item(first + i);
    debug::check_result(result(i), argument);
  }
}
#endif

}  // namespace kiln::loops

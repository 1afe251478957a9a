// Running results on GPUs: `lanes` of them, each of `extent` elements that are cut into chunks. Three passes: what each chunk
// amounts to, what runs up to each chunk, the results; one pass where there is one chunk. The other side of ScanSpace in
// lib/kinds/scan/gpu.cpp.
//
// Two mappings. Across: a thread for each lane and chunk, one element after the other; threads side by side have lanes side by
// side. Along: a block for each lane and chunk, a tile of elements at a time.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/scan/abi.hpp"

namespace kiln::loops {

constexpr int scan_threads = 256;

template <class Work>
struct scan {
  using in_type = typename Work::in;
  using value = typename Work::value;
  using out_type = typename Work::out;
  static constexpr int items = sizeof(value) == 16 ? 4 : 8;
  static constexpr int tile = scan_threads * items;
  // A tile, and two rows of what the threads have.
  static constexpr int shared_bytes = (tile + 2 * scan_threads) * int(sizeof(value));

  struct lane {
    const char* in;
    char* out;
    KILN_FN lane(const kinds::ScanSpace& s, int64 number) : in(static_cast<const char*>(s.in)), out(static_cast<char*>(s.out)) {
#pragma unroll 1
      for (int d = s.rank - 1; d >= 0; --d) {
        const int64 index = number % s.shape[d];
        number /= s.shape[d];
        in += index * s.in_strides[d];
        out += index * s.out_strides[d];
      }
    }
  };

  KILN_FN static const in_type& element(const kinds::ScanSpace& s, const lane& l, int64 i) {
    return *reinterpret_cast<const in_type*>(l.in + i * s.in_stride);
  }
  KILN_FN static out_type& result(const kinds::ScanSpace& s, const lane& l, int64 i) {
    return *reinterpret_cast<out_type*>(l.out + i * s.out_stride);
  }
  KILN_FN static value& total(const kinds::ScanSpace& s, int64 chunk, int64 lane) {
    return static_cast<value*>(s.totals)[chunk * s.lanes + lane];
  }

  KILN_FN static void across(const kinds::ScanSpace& s) {
    const int64 threads = int64(gridDim.x) * blockDim.x;
    const int64 first = int64(blockIdx.x) * blockDim.x + threadIdx.x;
    if (s.pass == 1) {
      for (int64 l = first; l < s.lanes; l += threads) {
        value running = total(s, 0, l);
        for (int64 c = 1; c < s.chunks; ++c) {
          Work::join(running, running, total(s, c, l));
          total(s, c, l) = running;
        }
      }
      return;
    }
    for (int64 work = first; work < s.all_chunks; work += threads) {
      const int64 c = work / s.lanes;
      const int64 l = work % s.lanes;
      const lane at(s, l);
      const int64 begin = c * s.chunk;
      const int64 end = begin + s.chunk < s.extent ? begin + s.chunk : s.extent;
      value running;
      const bool goes_on = s.pass == 2 && c > 0;
      if (goes_on) {
        running = total(s, c - 1, l);
        Work::next(running, running, element(s, at, begin));
      } else {
        Work::first(running, element(s, at, begin));
      }
      if (s.pass == 0) {
        for (int64 i = begin + 1; i < end; ++i) {
          Work::next(running, running, element(s, at, i));
        }
        total(s, c, l) = running;
        continue;
      }
      Work::last(result(s, at, begin), running);
      for (int64 i = begin + 1; i < end; ++i) {
        Work::next(running, running, element(s, at, i));
        Work::last(result(s, at, i), running);
      }
    }
  }

  // The running results of `count` elements that load(i, value&) gives, after `carry` if there is one; store(i, value) takes
  // them. Gives what all amount to, in the carry.
  template <class Load, class Store>
  KILN_FN static void block(int64 count, value& carry, bool carried, value* shared, const Load& load, const Store& store) {
    const int thread = int(threadIdx.x);
    value* const elements = shared;
    value* sums = shared + tile;
    value* others = sums + scan_threads;
    for (int64 begin = 0; begin < count; begin += tile) {
      const int64 left = count - begin;
      const int here = left < tile ? int(left) : tile;
#pragma unroll
      for (int k = 0; k < items; ++k) {
        const int i = k * scan_threads + thread;
        if (i < here) {
          load(begin + i, elements[i]);
        }
      }
      KILN_BARRIER();
      const int first = thread * items;
      const int mine = here - first < items ? here - first : items;  // none or less: none
      value own[items];
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (k < mine) {
          if (k == 0) {
            own[0] = elements[first];
          } else {
            Work::join(own[k], own[k - 1], elements[first + k]);
          }
          sums[thread] = own[k];
        }
      }
      KILN_BARRIER();
#pragma unroll 1
      for (int distance = 1; distance < scan_threads; distance *= 2) {
        if (mine > 0) {
          if (thread >= distance) {
            Work::join(others[thread], sums[thread - distance], sums[thread]);
          } else {
            others[thread] = sums[thread];
          }
        }
        value* const swapped = sums;
        sums = others;
        others = swapped;
        KILN_BARRIER();
      }
      if (mine > 0) {
        value before = carry;
        bool runs = carried;
        if (thread > 0) {
          before = sums[thread - 1];
          if (carried) {
            Work::join(before, carry, before);
          }
          runs = true;
        }
#pragma unroll
        for (int k = 0; k < items; ++k) {
          if (k < mine) {
            if (runs) {
              Work::join(own[k], before, own[k]);
            }
            elements[first + k] = own[k];
          }
        }
      }
      const value all = sums[(here - 1) / items];
      if (carried) {
        Work::join(carry, carry, all);
      } else {
        carry = all;
      }
      carried = true;
      KILN_BARRIER();
#pragma unroll
      for (int k = 0; k < items; ++k) {
        const int i = k * scan_threads + thread;
        if (i < here) {
          store(begin + i, elements[i]);
        }
      }
      KILN_BARRIER();
    }
  }

  KILN_FN static void along(const kinds::ScanSpace& s, value* shared) {
    if (s.pass == 1) {
      for (int64 l = blockIdx.x; l < s.lanes; l += gridDim.x) {
        value carry{};
        block(
            s.chunks, carry, false, shared, [&](int64 i, value& x) { x = total(s, i, l); },
            [&](int64 i, const value& x) { total(s, i, l) = x; });
      }
      return;
    }
    for (int64 work = blockIdx.x; work < s.all_chunks; work += gridDim.x) {
      const int64 c = work % s.chunks;
      const int64 l = work / s.chunks;
      const lane at(s, l);
      const int64 begin = c * s.chunk;
      const int64 count = begin + s.chunk < s.extent ? s.chunk : s.extent - begin;
      value carry{};
      const bool carried = s.pass == 2 && c > 0;
      if (carried) {
        carry = total(s, c - 1, l);
      }
      const auto load = [&](int64 i, value& x) { Work::first(x, element(s, at, begin + i)); };
      if (s.pass == 0) {
        block(count, carry, false, shared, load, [](int64, const value&) {});
        if (threadIdx.x == 0) {
          total(s, c, l) = carry;
        }
      } else {
        block(count, carry, carried, shared, load, [&](int64 i, const value& x) { Work::last(result(s, at, begin + i), x); });
      }
    }
  }

  KILN_FN static void run(const kinds::ScanSpace& s, unsigned char* shared) {
    if (s.along != 0) {
      along(s, reinterpret_cast<value*>(shared));
    } else {
      across(s);
    }
  }
};

}  // namespace kiln::loops

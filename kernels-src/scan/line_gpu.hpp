// A line of elements on GPUs: where it is, and its packs of neighbours, each one access where elements are contiguous and
// aligned.
#pragma once
#include "kiln/elementwise/gpu_nd.hpp"
#include "kiln/scan/abi.hpp"

namespace kiln::loops {

template <class In, class Out, int W>
struct scan_line {
  const char* in;
  char* out;
  int64 in_stride;
  int64 out_stride;
  bool wide;  // packs are single accesses

  KILN_FN scan_line(const kinds::ScanSpace& s, const In* x, Out* y, uint32 number)
      : in(reinterpret_cast<const char*>(x)),
        out(reinterpret_cast<char*>(y)),
        in_stride(s.in_stride),
        out_stride(s.out_stride) {
#pragma unroll 1
    for (int d = s.rank - 1; d > 0; --d) {
      const uint32 quotient = (uint32((uint64(number) * s.magic[d]) >> 32) + number) >> s.shift[d];
      move(s, d, number - quotient * s.shape[d]);
      number = quotient;
    }
    move(s, 0, number);
    wide = in_stride == int64(sizeof(In)) && out_stride == int64(sizeof(Out)) && uint64(in) % (W * sizeof(In)) == 0 &&
           uint64(out) % (W * sizeof(Out)) == 0;
  }

  KILN_FN void skip(int64 elements) {
    in += elements * in_stride;
    out += elements * out_stride;
  }
  KILN_FN const char* in_at(int64 i) const { return in + i * in_stride; }
  KILN_FN char* out_at(int64 i) const { return out + i * out_stride; }
  KILN_FN const In& element(int64 i) const { return *reinterpret_cast<const In*>(in_at(i)); }
  KILN_FN Out& result(int64 i) const { return *reinterpret_cast<Out*>(out_at(i)); }

  // P packs, the first of which is at `from`; from one to the next it is `step` elements.
  template <int P>
  KILN_FN void load(pack<In, W> (&x)[P], const char* from, int step) const {
    if (wide) {
#pragma unroll
      for (int p = 0; p < P; ++p) {
        x[p] = load_pack<W>(reinterpret_cast<const In*>(from) + p * step);
      }
      return;
    }
    const int64 gap = (step - W) * in_stride;
#pragma unroll
    for (int p = 0; p < P; ++p) {
#pragma unroll
      for (int w = 0; w < W; ++w) {
        x[p].v[w] = *reinterpret_cast<const In*>(from);
        from += in_stride;
      }
      from += gap;
    }
  }
  template <int P>
  KILN_FN void store(const pack<Out, W> (&y)[P], char* to, int step) const {
    if (wide) {
#pragma unroll
      for (int p = 0; p < P; ++p) {
        store_pack<W>(reinterpret_cast<Out*>(to) + p * step, y[p]);
      }
      return;
    }
    const int64 gap = (step - W) * out_stride;
#pragma unroll
    for (int p = 0; p < P; ++p) {
#pragma unroll
      for (int w = 0; w < W; ++w) {
        *reinterpret_cast<Out*>(to) = y[p].v[w];
        to += out_stride;
      }
      to += gap;
    }
  }

 private:
  KILN_FN void move(const kinds::ScanSpace& s, int d, uint32 index) {
    in += int64(index) * s.in_strides[d];
    out += int64(index) * s.out_strides[d];
  }
};

}  // namespace kiln::loops

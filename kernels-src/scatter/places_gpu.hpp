// Where the elements of a[index] = f(a[index], b) lie, on GPUs: an element's number to its offset in the target and in the
// value. For one layout, or for any.
#pragma once
#include "kiln/elementwise/gpu_nd.hpp"

#include "kiln/scatter/abi.hpp"

namespace kiln::loops {

template <class T>
KILN_FN T* in_global_memory(T* p) {
  return KILN_GLOBAL(T, p);
}
template <class T>
KILN_FN T* in_global_memory(void* p, int64 offset) {
  return reinterpret_cast<T*>(in_global_memory(static_cast<char*>(p)) + offset);
}
template <class T>
KILN_FN const T* in_global_memory(const void* p, int64 offset) {
  return reinterpret_cast<const T*>(in_global_memory(static_cast<const char*>(p)) + offset);
}

// In bytes from the first element.
struct scatter_spot {
  int64 target = 0;
  int64 value = 0;
  bool good = true;  // every index is in range
};

template <bool Wide>
struct scatter_words {
  using type = uint64;
  using signed_type = int64;
};
template <>
struct scatter_words<false> {
  using type = uint32;
  using signed_type = int32;
};

// `Rank` dimensions of positions, then those of a row. With a 32-bit Number every stride has 32 bits, and the target 32-bit
// offsets.
template <class Number, int Rank, int D, class... Indices>
struct scatter_places {
  using number = Number;
  static constexpr int arrays = int(sizeof...(Indices));
  static constexpr bool narrow = sizeof(Number) == 4;
  using shape = space<Number, D, arrays + 2>;
  static constexpr bool rows = D > Rank;
  static constexpr int unroll = kinds::kScatterUnroll;

  const kinds::ScatterCall& call;
  const shape& s;

  KILN_FN static int64 offset(Number number, int64 stride) {
    if constexpr (narrow) {
      int64 bytes;
      KILN_WIDE_PRODUCT(bytes, int32(number), int32(stride));
      return bytes;
    } else {
      return int64(number) * stride;
    }
  }
  template <int First, int End>
  KILN_FN int64 offset(const place<Number, D, 1>& at, int operand) const {
    int64 sum = 0;
#pragma unroll
    for (int d = First; d < End; ++d) {
      sum += offset(at.at[d], s.stride[operand][d]);
    }
    return sum;
  }
  template <class T>
  KILN_FN void add_index(scatter_spot& spot, const place<Number, D, 1>& at, int i) const {
    constexpr bool is_signed = T(-1) < T(0);
    using words = scatter_words<!narrow || sizeof(T) == 8>;
    using word = typename words::type;
    const T given = *in_global_memory<T>(call.index[i].data, offset<0, Rank>(at, i));
    const word extent = word(call.index[i].extent);
    const word number = word(typename words::signed_type(given));
    Number at_axis = Number(number);
    if constexpr (is_signed) {
      at_axis += given < 0 ? Number(extent) : 0;
      spot.good = spot.good && number + extent < 2 * extent;
    } else {
      spot.good = spot.good && number < extent;
    }
    spot.target += offset(at_axis, call.index[i].stride);
  }
  KILN_FN scatter_spot spot(Number number) const {
    const place<Number, D, 1> at(s, number);
    scatter_spot found;
    int i = 0;
    (add_index<Indices>(found, at, i++), ...);
    found.target += offset<Rank, D>(at, arrays);
    found.value = offset<0, D>(at, arrays + 1);
    return found;
  }
};

KILN_FN int64 read_index(const char* at, int32 size, bool is_signed) {
  switch (size) {
    case 1:
      return is_signed ? int64(*reinterpret_cast<const int8*>(at)) : int64(*reinterpret_cast<const uint8*>(at));
    case 2:
      return is_signed ? int64(*reinterpret_cast<const int16*>(at)) : int64(*reinterpret_cast<const uint16*>(at));
    case 4:
      return is_signed ? int64(*reinterpret_cast<const int32*>(at)) : int64(*reinterpret_cast<const uint32*>(at));
    default:
      return *reinterpret_cast<const int64*>(at);
  }
}

// The offset of element `number` of a shape, in C order.
KILN_FN int64 offset_of(int64 number, int32 rank, const int64* shape, const int64* strides) {
  int64 offset = 0;
#pragma unroll 1
  for (int d = rank - 1; d > 0; --d) {
    const int64 outer = number / shape[d];
    offset += (number - outer * shape[d]) * strides[d];
    number = outer;
  }
  return offset + number * strides[0];
}

// Any layout. Coordinates are computed for each array again: an array of them would be in local memory.
struct scatter_any_places {
  using number = uint64;
  static constexpr bool narrow = false;
  static constexpr bool rows = true;
  static constexpr int unroll = 1;

  const kinds::ScatterCall& call;
  const kinds::ScatterAnyShape& s;

  KILN_FN scatter_spot spot(uint64 number) const {
    const int64 position = int64(number / call.row);
    const int64 element = int64(number % call.row);
    scatter_spot found;
#pragma unroll 1
    for (int i = 0; i < s.indices; ++i) {
      const char* const from =
          in_global_memory<char>(call.index[i].data, offset_of(position, s.rank, s.positions, s.index_strides[i]));
      const int64 extent = call.index[i].extent;
      int64 at_axis = read_index(from, s.index_size[i], s.index_is_signed[i] != 0);
      at_axis += at_axis < 0 && s.index_is_signed[i] != 0 ? extent : 0;
      found.good = found.good && uint64(at_axis) < uint64(extent);
      found.target += at_axis * call.index[i].stride;
    }
    found.target += offset_of(element, s.row_rank, s.row, s.target_strides);
    found.value = offset_of(position, s.rank, s.positions, s.value_strides) +
                  offset_of(element, s.row_rank, s.row, s.value_strides + s.rank);
    return found;
  }
};

}  // namespace kiln::loops

// a[index] = f(a[index], b) on GPUs. The other side of ScatterSpace in lib/backend/gpu/scatter.cpp.
//
// Of a function that takes any order, a thread for each position and element of its row, which changes memory atomically. Of
// others, a thread for each different target and element of its row, which applies what meets there in order.
#pragma once
#include "kiln/core/atomics.hpp"

#include "kiln/scatter/abi.hpp"

namespace kiln::loops {

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
KILN_FN int64 offset_of(int64 number, int32 rank, const int64 (&shape)[8], const int64* strides) {
  int64 offset = 0;
#pragma unroll 1
  for (int d = rank - 1; d > 0; --d) {
    const int64 outer = number / shape[d];
    offset += (number - outer * shape[d]) * strides[d];
    number = outer;
  }
  return offset + number * strides[0];
}

// Where a position is: in the target, and in the value. Coordinates are computed for each array anew: an array of them would be
// in local memory.
struct scatter_place {
  int64 target = 0;
  int64 value = 0;
  bool good = true;

  KILN_FN scatter_place(const kinds::ScatterSpace& s, int64 position) {
    value = offset_of(position, s.rank, s.shape, s.value_strides);
#pragma unroll 1
    for (int i = 0; i < s.indices; ++i) {
      const kinds::ScatterSpace::Index& index = s.index[i];
      const char* const from = static_cast<const char*>(index.data) + offset_of(position, s.rank, s.shape, index.strides);
      int64 number = read_index(from, index.size, index.is_signed != 0);
      // A uint64 of 2^63 or more looks negative.
      const bool negative = number < 0;
      good = good && (negative ? index.is_signed != 0 && number >= -index.extent : number < index.extent);
      number += negative ? index.extent : 0;
      target += number * index.stride;
    }
  }
  // Moves to an element of the row.
  KILN_FN void step(const kinds::ScatterSpace& s, int64 element) {
    target += offset_of(element, s.row_rank, s.row_shape, s.target_strides);
    value += offset_of(element, s.row_rank, s.row_shape, s.value_strides + s.rank);
  }
};

template <class Work, bool Ordered>
KILN_FN void scatter(const kinds::ScatterSpace& s) {
  using target = typename Work::target;
  using value = typename Work::value;
  const int64 first = int64(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64 threads = int64(gridDim.x) * blockDim.x;
  const auto target_at = [&](const scatter_place& at) {
    return reinterpret_cast<target*>(static_cast<char*>(s.target) + at.target);
  };
  const auto value_at = [&](const scatter_place& at) -> const value& {
    return *reinterpret_cast<const value*>(static_cast<const char*>(s.value) + at.value);
  };
  if (s.pass == 0) {
    for (int64 position = first; position < s.positions; position += threads) {
      if (!scatter_place(s, position).good) {
        atomicMin(s.bad, uint64(position));
      }
    }
  } else if constexpr (Ordered) {
    for (int64 work = first; work < s.work; work += threads) {
      const int64 group = work / s.row;
      for (int64 k = s.starts[group]; k < s.starts[group + 1]; ++k) {
        scatter_place at(s, s.order[k]);
        at.step(s, work % s.row);
        Work::apply(*target_at(at), value_at(at));
      }
    }
  } else {
    for (int64 work = first; work < s.work; work += threads) {
      scatter_place at(s, work / s.row);
      at.step(s, work % s.row);
      Work::update(target_at(at), value_at(at));
    }
  }
}

}  // namespace kiln::loops

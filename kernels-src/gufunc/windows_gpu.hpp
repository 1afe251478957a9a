// Inputs of generalized ufuncs that a thread of a GPU reads by windows: a part of its item's core that is copied to shared
// memory and follows the accesses. Each thread has its own, so that threads may go different ways through a body.
#pragma once
#include "kiln/gufunc/gpu.hpp"

#include "kiln/gufunc/abi.hpp"

namespace kiln::loops {

template <class T>
class window {
 public:
  static constexpr uint32 elements = kinds::kWindowBytes / sizeof(T);
  static constexpr uint32 threads = kinds::kWindowThreads;

  // `cells`: elements * threads of the block, an element of all threads beside each other.
  KILN_FN window(const T* core, int64 size, T* cells) : cells_(cells + threadIdx.x) {
    // Parts begin where 16 bytes may be loaded. Those that are not whole in the core are read where they are.
    const uint32 before = uint32(uint64(core) % 16 / sizeof(T));
    aligned_ = core - before;
    before_ = before;
    first_ = before > 0 ? 1 : 0;
    end_ = (uint32(size) + before) / elements;
  }

  KILN_FN T at(int64 i) {
    const uint32 place = uint32(i) + before_;
    const uint32 part = place / elements;
    if (part != part_) {
      // A window goes forwards, and from the end back to the beginning. Else a body that alternates between two places would
      // fill it for each access.
      const bool follows = part == part_ + 1 || (part == first_ && part_ + 1 >= end_);
      if (!follows || part < first_ || part >= end_) return aligned_[place];
      fill(part);
    }
    return cells_[place % elements * threads];
  }

 private:
  KILN_FN void fill(uint32 part) {
    const auto read = load_pack<int(elements)>(aligned_ + part * elements);
#pragma unroll
    for (uint32 k = 0; k < elements; ++k) {
      cells_[k * threads] = read.v[k];
    }
    part_ = part;
  }

  T* cells_;
  const T* aligned_;
  uint32 before_, first_, end_;
  uint32 part_ = 0xfffffff0;  // none: behind every end
};

// What a body has: the view of one dimension whose elements are converted, and so are no places in memory.
template <class E, class Axis>
class window_view {
 public:
  using item = const typename E::value;
  static constexpr int rank = 1;
  static constexpr int ndim = 1;

  window_view() = default;
  KILN_FN window_view(window<typename E::storage>& over, int64 extent, int64) : over_(&over), extent_(extent) {}

  template <class Index>
    requires(!fractional<Index>)
  KILN_FN item operator()(Index i) const {
    return E::load(over_->at(int64(i)));
  }
  template <fractional index_is_no_integer>
  KILN_FN item operator()(index_is_no_integer) const KILN_REFUSED("the index is no integer; cut off its fraction: index(x)");
  template <class... wrong_number_of_indices>
    requires(sizeof...(wrong_number_of_indices) != 1)
  KILN_FN item operator()(wrong_number_of_indices...) const
      KILN_REFUSED("the number of indices is not that of the operand's dimensions");
  template <class Index>
    requires(!fractional<Index>)
  KILN_FN item operator[](Index i) const {
    return (*this)(i);
  }
  template <fractional index_is_no_integer>
  KILN_FN item operator[](index_is_no_integer) const KILN_REFUSED("the index is no integer; cut off its fraction: index(x)");
  KILN_FN operator typename E::storage *() const
      KILN_REFUSED("a view is no pointer or number: write x(i), .data(), or in the signature of a raw kernel float32* x");
  KILN_FN item row(int64) const KILN_REFUSED("a view of one dimension has no rows; write x(i)");
  KILN_FN int64 shape(int64) const { return extent_; }
  KILN_FN int64 size() const { return extent_; }
  KILN_FN bool contiguous() const { return true; }
  KILN_FN auto begin() const { return iterator{*this, 0}; }
  KILN_FN auto end() const { return iterator{*this, int64(extent_)}; }

 private:
  using iterator = view_iterator<window_view, typename named<typename E::value>::type, false>;

  window<typename E::storage>* over_;
  decltype(Axis::extent) extent_;
};

}  // namespace kiln::loops

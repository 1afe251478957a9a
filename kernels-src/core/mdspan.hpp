// cuda::std::mdspan of arrays that the host gives. Each keeps the array's strides, so that the names of layouts change nothing.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

inline constexpr size_t dynamic_extent = ~size_t(0);

template <class Index, size_t... Extents>
struct extents {
  using index_type = Index;
  using rank_type = size_t;
  Index values[sizeof...(Extents) + (sizeof...(Extents) == 0)];
  static KILN_CONSTEXPR_FN size_t rank() { return sizeof...(Extents); }
  static KILN_CONSTEXPR_FN size_t rank_dynamic() { return (size_t(Extents == dynamic_extent) + ... + 0); }
  KILN_CONSTEXPR_FN Index extent(size_t d) const { return values[d]; }
};

namespace loops {
template <class Index, size_t Rank, size_t... Extents>
struct dynamic_extents : dynamic_extents<Index, Rank - 1, dynamic_extent, Extents...> {};
template <class Index, size_t... Extents>
struct dynamic_extents<Index, 0, Extents...> {
  using type = extents<Index, Extents...>;
};
}  // namespace loops
template <class Index, size_t Rank>
using dextents = typename loops::dynamic_extents<Index, Rank>::type;

struct layout_right {};
struct layout_left {};
struct layout_stride {};

template <class T, class Extents, class Layout = layout_right>
class mdspan {
 public:
  using element_type = T;
  using extents_type = Extents;
  using layout_type = Layout;
  using index_type = typename Extents::index_type;
  using size_type = index_type;
  using data_handle_type = T*;
  using reference = T&;

  static KILN_CONSTEXPR_FN size_t rank() { return Extents::rank(); }
  static KILN_CONSTEXPR_FN size_t rank_dynamic() { return Extents::rank_dynamic(); }
  KILN_CONSTEXPR_FN index_type extent(size_t d) const { return extents_.extent(d); }
  KILN_CONSTEXPR_FN const Extents& extents() const { return extents_; }
  KILN_CONSTEXPR_FN index_type stride(size_t d) const { return strides_[d]; }
  KILN_CONSTEXPR_FN T* data_handle() const { return data_; }
  KILN_CONSTEXPR_FN index_type size() const {
    index_type all = 1;
    for (size_t d = 0; d < rank(); ++d) all *= extent(d);
    return all;
  }
  KILN_CONSTEXPR_FN bool empty() const { return size() == 0; }
  template <class... Index>
    requires(sizeof...(Index) == Extents::rank())
  KILN_CONSTEXPR_FN T& operator()(Index... i) const {
    index_type at = 0;
    size_t d = 0;
    ((at += index_type(i) * strides_[d++]), ...);
    return data_[at];
  }

  // Of a raw kernel's view.
  template <class View>
  static KILN_FN mdspan of(const View& view) {
    static_assert(View::ndim == int(Extents::rank()), "the array has another number of dimensions than the kernel's mdspan");
    mdspan made;
    made.data_ = (T*)view.data();  // NOLINT: whatever is const, as CUDA passes addresses
    for (int d = 0; d < View::ndim; ++d) {
      made.extents_.values[d] = index_type(view.shape(d));
      made.strides_[d] = index_type(view.byte_stride(d) / int64(sizeof(T)));
    }
    return made;
  }

 private:
  T* data_;
  Extents extents_;
  index_type strides_[Extents::rank() + (Extents::rank() == 0)];
};

}  // namespace kiln

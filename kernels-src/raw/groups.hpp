// cooperative_groups.h: a block's threads, and lanes of its warps, as objects. A group of lanes is their mask.
#pragma once
#include "kiln/raw/warps.hpp"

namespace kiln::cooperative_groups {

// Threads of a block that wait for one another.
class thread_group {
 public:
  KILN_FN void sync() const {
    if (lanes_ == 0) {
      barrier();
    } else {
      __syncwarp(lanes_);
    }
  }
  KILN_FN uint32 size() const { return lanes_ == 0 ? blockDim.x * blockDim.y * blockDim.z : uint32(__popc(lanes_)); }
  KILN_FN uint32 num_threads() const { return size(); }
  KILN_FN uint32 thread_rank() const {
    if (lanes_ == 0) return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    return uint32(__popc(lanes_ & ((1u << loops::warp_lane()) - 1)));
  }
  // Those of the group's lanes whose ranks, in parts of `size` each, are in the part of this thread.
  KILN_FN uint32 part(uint32 size) const {
    const uint32 begin = thread_rank() / size * size;
    if (lanes_ == 0) return (~0u >> (32 - size)) << begin % 32;
    uint32 mask = 0, rank = 0;
    for (uint32 left = lanes_; left != 0; left &= left - 1, ++rank) {
      if (rank - begin < size) mask |= left & (0 - left);
    }
    return mask;
  }

 protected:
  friend KILN_FN thread_group tiled_partition(const thread_group& of, uint32 size);
  KILN_FN explicit thread_group(uint32 lanes) : lanes_(lanes) {}
  uint32 lanes_;  // 0: the whole block
};

class thread_block : public thread_group {
 public:
  KILN_FN thread_block() : thread_group(0) {}
  static KILN_FN void sync() { barrier(); }
  static KILN_FN uint32 size() { return blockDim.x * blockDim.y * blockDim.z; }
  static KILN_FN uint32 num_threads() { return size(); }
  static KILN_FN uint32 thread_rank() { return thread_block().thread_group::thread_rank(); }
  static KILN_FN dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static KILN_FN dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  static KILN_FN dim3 group_dim() { return {blockDim.x, blockDim.y, blockDim.z}; }
  static KILN_FN dim3 dim_threads() { return group_dim(); }
};

// What lanes tell each other. Group: lane_of(rank), and packed(bits), which has a bit for each rank.
template <class Group>
class lane_group : public thread_group {
 public:
  template <class T>
  KILN_FN T shfl(const T& x, int rank) const {
    return of_rank(x, uint32(rank));
  }
  // Beyond the group's ends a lane has its own value.
  template <class T>
  KILN_FN T shfl_up(const T& x, uint32 distance) const {
    const uint32 me = self().thread_rank();
    return of_rank(x, me < distance ? me : me - distance);
  }
  template <class T>
  KILN_FN T shfl_down(const T& x, uint32 distance) const {
    const uint32 me = self().thread_rank();
    return of_rank(x, me + distance < self().size() ? me + distance : me);
  }
  KILN_FN int any(int x) const { return __ballot_sync(lanes_, x) != 0; }
  KILN_FN int all(int x) const { return __ballot_sync(lanes_, x == 0) == 0; }
  KILN_FN uint32 ballot(int x) const { return self().packed(__ballot_sync(lanes_, x)); }
  template <class T>
  KILN_FN uint32 match_any(T x) const {
    return self().packed(__match_any_sync(lanes_, x));
  }
  template <class T>
  KILN_FN uint32 match_all(T x, int& all) const {
    return self().packed(__match_all_sync(lanes_, x, &all));
  }
  // The number of this group among those that its partition made, and theirs.
  KILN_FN uint32 meta_group_rank() const { return number_; }
  KILN_FN uint32 meta_group_size() const { return groups_; }
  KILN_FN uint32 lanes() const { return lanes_; }

 protected:
  KILN_FN lane_group(uint32 lanes, uint32 number, uint32 groups) : thread_group(lanes), number_(number), groups_(groups) {}

 private:
  KILN_FN const Group& self() const { return static_cast<const Group&>(*this); }
  template <class T>
  KILN_FN T of_rank(const T& x, uint32 rank) const {
    return loops::of_lane(lanes_, x, self().lane_of(rank));
  }
  uint32 number_;
  uint32 groups_;
};

// `Size` lanes with consecutive numbers. Parent: what it is a part of.
template <uint32 Size, class Parent = void>
class thread_block_tile : public thread_block_tile<Size, void> {
 public:
  using thread_block_tile<Size, void>::thread_block_tile;
};
template <uint32 Size>
class thread_block_tile<Size, void> : public lane_group<thread_block_tile<Size, void>> {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  KILN_FN thread_block_tile(uint32 number, uint32 groups)
      : lane_group<thread_block_tile<Size, void>>((~0u >> (32 - Size)) << lane_of(0), number, groups) {}
  static KILN_FN constexpr uint32 size() { return Size; }
  static KILN_FN constexpr uint32 num_threads() { return Size; }
  static KILN_FN uint32 thread_rank() { return loops::warp_lane() % Size; }
  static KILN_FN uint32 lane_of(uint32 rank) { return loops::warp_lane() / Size * Size + rank % Size; }
  static KILN_FN uint32 packed(uint32 bits) { return bits >> lane_of(0) & (~0u >> (32 - Size)); }
  template <class T>
  KILN_FN T shfl_xor(const T& x, uint32 bits) const {
    return this->shfl(x, int(thread_rank() ^ bits));
  }
};

// Lanes that are at the same place, or have something else in common.
class coalesced_group : public lane_group<coalesced_group> {
 public:
  KILN_FN explicit coalesced_group(uint32 lanes, uint32 number = 0, uint32 groups = 1) : lane_group(lanes, number, groups) {}
  KILN_FN uint32 lane_of(uint32 rank) const {
    uint32 left = lanes();
    for (; rank > 0 && (left & (left - 1)) != 0; --rank) left &= left - 1;
    return uint32(__ffs(int(left)) - 1);
  }
  KILN_FN uint32 packed(uint32 bits) const {
    uint32 result = 0, rank = 0;
    for (uint32 left = lanes(); left != 0; left &= left - 1, ++rank) result |= uint32((bits & left & (0 - left)) != 0) << rank;
    return result;
  }
};

// The blocks of a launch, which do not wait for one another: some begin when others have ended.
class grid_group {
 public:
  static KILN_FN uint64 size() { return num_blocks() * thread_block::size(); }
  static KILN_FN uint64 num_threads() { return size(); }
  static KILN_FN uint64 thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  static KILN_FN uint64 num_blocks() { return uint64(gridDim.x) * gridDim.y * gridDim.z; }
  static KILN_FN uint64 block_rank() { return (uint64(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
  static KILN_FN dim3 block_index() { return thread_block::group_index(); }
  static KILN_FN dim3 group_dim() { return {gridDim.x, gridDim.y, gridDim.z}; }
  static KILN_FN dim3 dim_blocks() { return group_dim(); }
  static KILN_FN bool is_valid() { return false; }
  KILN_FN void sync() const
      KILN_REFUSED("the blocks of a grid do not wait for one another; end the kernel here, and launch another for the rest");
};
KILN_FN void sync(const grid_group&)
    KILN_REFUSED("the blocks of a grid do not wait for one another; end the kernel here, and launch another for the rest");

KILN_FN thread_block this_thread_block() {
  return {};
}
KILN_FN grid_group this_grid() {
  return {};
}
// Those of a warp that call it at the same place.
KILN_FN coalesced_group coalesced_threads(uint32 place = KILN_CALLERS_PLACE) {
  return coalesced_group(loops::active_lanes(place));
}

template <uint32 Size>
KILN_FN thread_block_tile<Size, thread_block> tiled_partition(const thread_block& of) {
  return {of.thread_rank() / Size, (of.size() + Size - 1) / Size};
}
template <uint32 Size, uint32 Whole, class Parent>
KILN_FN thread_block_tile<Size, thread_block_tile<Whole>> tiled_partition(const thread_block_tile<Whole, Parent>& of) {
  static_assert(Size <= Whole, "a part of a tile has no more threads than the tile");
  return {of.thread_rank() / Size, Whole / Size};
}
KILN_FN thread_group tiled_partition(const thread_group& of, uint32 size) {
  return thread_group(of.part(size));
}
KILN_FN coalesced_group tiled_partition(const coalesced_group& of, uint32 size) {
  return coalesced_group(of.part(size), of.thread_rank() / size, (of.size() + size - 1) / size);
}
// Those whose labels are the same.
template <class Group, class Label>
KILN_FN coalesced_group labeled_partition(const lane_group<Group>& of, Label label) {
  return coalesced_group(__match_any_sync(of.lanes(), label));
}
template <class Group>
KILN_FN coalesced_group binary_partition(const lane_group<Group>& of, bool which) {
  const uint32 those = __ballot_sync(of.lanes(), which);
  return coalesced_group(which ? those : of.lanes() & ~those, which, 2);
}

KILN_FN void sync(const thread_group& group) {
  group.sync();
}
template <class Group>
KILN_FN uint32 thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
KILN_FN uint32 group_size(const Group& group) {
  return group.size();
}

#define KILN_GROUP_OPERATOR(name, expression)            \
  template <class T>                                     \
  struct name {                                          \
    KILN_FN T operator()(const T& a, const T& b) const { \
      return expression;                                 \
    }                                                    \
  };
KILN_GROUP_OPERATOR(plus, T(a + b))
KILN_GROUP_OPERATOR(less, b < a ? b : a)
KILN_GROUP_OPERATOR(greater, a < b ? b : a)
KILN_GROUP_OPERATOR(bit_and, T(a& b))
KILN_GROUP_OPERATOR(bit_or, T(a | b))
KILN_GROUP_OPERATOR(bit_xor, T(a ^ b))
#undef KILN_GROUP_OPERATOR

// cooperative_groups/scan.h: f over the values of lower ranks, and this one's.
template <class Group, class T, class F = plus<T>>
KILN_FN T inclusive_scan(const Group& group, T x, const F& f = {}) {
  for (uint32 distance = 1; distance < group.size(); distance *= 2) {
    const T before = group.shfl_up(x, distance);
    if (group.thread_rank() >= distance) x = f(before, x);
  }
  return x;
}
// Without this one's; of the first rank T().
template <class Group, class T, class F = plus<T>>
KILN_FN T exclusive_scan(const Group& group, const T& x, const F& f = {}) {
  const T before = group.shfl_up(inclusive_scan(group, x, f), 1);
  return group.thread_rank() == 0 ? T() : before;
}
// cooperative_groups/reduce.h: f over the values of the group, for each of its threads.
template <class Group, class T, class F>
KILN_FN T reduce(const Group& group, const T& x, const F& f) {
  return group.shfl(inclusive_scan(group, x, f), int(group.size() - 1));
}

}  // namespace kiln::cooperative_groups

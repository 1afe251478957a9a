// Blocks whose threads share memory and wait for one another, on the CPU: neighbours along x are lanes of vectors, which go on
// from barrier to barrier, one vector after the other. lib/backend/cpu/clang/spmd/blocks.cpp is the other side of what is
// declared here.
#pragma once
#include "kiln/raw/cpu.hpp"

extern "C" {
__attribute__((convergent)) void kiln_barrier();
// How many neighbours kiln_threads() computes at once.
__attribute__((const)) kiln::int64 kiln_lanes();
// Of all KILN_SHARED variables; where they are; and who says so, for the function that it stands in.
__attribute__((const)) kiln::int64 kiln_shared_bytes();
void kiln_share(void* memory);
// Where what threads have at a barrier is kept.
KILN_NOINLINE __attribute__((used)) void* kiln_new_frame(const kiln::kinds::CpuRawLaunch* launch, kiln::int64 bytes) {
  return launch->new_frame(launch, bytes);
}
}

namespace kiln {

#if KILN_DEBUG
KILN_FN void barrier() {
  const kinds::FaultPlace here = debug::place();  // other threads run meanwhile
  kiln_barrier();
  debug::place_of_thread = here;
  debug::stay_in_order();
}
#define KILN_ENTER_THREAD(block, thread) debug::enter_thread(block.x, block.y, block.z, thread.x, thread.y, thread.z)
#else
KILN_FN void barrier() {
  kiln_barrier();
}
#define KILN_ENTER_THREAD(block, thread)
#endif

namespace loops {

// What waits at a barrier; resume() is null when it has ended.
struct waiting_threads {
  void (*resume)(waiting_threads*);
};

// Neighbours along x of a block.
struct row_of_threads {
  grid_place grid;
  grid_place block_size;
  grid_place block;
  uint32 begin;
  uint32 end;
  uint32 y;
  uint32 z;
};

// Runs the blocks [begin, end). Threads that end without coming to a barrier keep no other waiting.
template <class Threads>
KILN_FN void each_waiting_block(const kinds::CpuRawLaunch* launch, int64 begin, int64 end, const Threads& threads) {
  void* const shared = __builtin_alloca_with_align(kiln_shared_bytes() + 1, 512);
  row_of_threads row;
  row.grid = {uint32(launch->grid[0]), uint32(launch->grid[1]), uint32(launch->grid[2])};
  row.block_size = {uint32(launch->block[0]), uint32(launch->block[1]), uint32(launch->block[2])};
  const uint32 lanes = uint32(kiln_lanes());
  auto** const all = reinterpret_cast<waiting_threads**>(launch->waiting);
  for (int64 b = begin; b < end; ++b) {
    row.block = {uint32(b % row.grid.x), uint32(b / row.grid.x % row.grid.y), uint32(b / row.grid.x / row.grid.y)};
    launch->begin_block(launch);
    int64 waiting = 0;
    for (row.z = 0; row.z < row.block_size.z; ++row.z) {
      for (row.y = 0; row.y < row.block_size.y; ++row.y) {
        for (row.begin = 0; row.begin < row.block_size.x; row.begin = row.end) {
          row.end = row.block_size.x - row.begin < lanes ? row.block_size.x : row.begin + lanes;
          auto* const left = static_cast<waiting_threads*>(threads(launch, shared, row));
          if (left != nullptr && left->resume != nullptr) all[waiting++] = left;
        }
      }
    }
    while (waiting > 0) {
      int64 still = 0;
      for (int64 i = 0; i < waiting; ++i) {
        all[i]->resume(all[i]);
        if (all[i]->resume != nullptr) all[still++] = all[i];
      }
      waiting = still;
    }
  }
}

}  // namespace loops

}  // namespace kiln

// By the section the compiler's pass knows them.
#define KILN_SHARED static __attribute__((section("kiln_shared")))
// Of the body alone: it is handed to it.
#define KILN_DYNAMIC_SHARED(type) static_cast<type*>(kiln_dynamic_shared)

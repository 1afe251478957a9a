// Blocks whose threads share memory and wait for one another, on the CPU: neighbours along x are lanes of vectors.
// lib/clang/spmd/blocks.cpp is the other side of what is declared here.
#pragma once
#include "kiln/core/shared_memory.hpp"
#include "kiln/core/waiting_cpu.hpp"
#include "kiln/raw/cpu.hpp"

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
KILN_FN void sync() {
  barrier();
}

namespace loops {

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

// Who waits of a block, in the order of their numbers.
struct waiting_threads_of_block {
  waiting_threads** all;
  int64 count = 0;
  KILN_FN void add(void* returned, uint32, uint32) { count = with_waiting(all, count, returned); }
  KILN_FN void resume() {
    resume_all(all, count);
    count = 0;
  }
};

// Runs the blocks [begin, end). threads: kiln_threads.
template <class Waiting, class Threads>
KILN_FN void each_waiting_block(const kinds::CpuRawLaunch* launch, int64 begin, int64 end, row_of_threads& row,
                                Waiting& waiting, const Threads& threads) {
  void* const shared = __builtin_alloca_with_align(kiln_shared_bytes() + 1, 512);
  row.grid = {uint32(launch->grid[0]), uint32(launch->grid[1]), uint32(launch->grid[2])};
  row.block_size = {uint32(launch->block[0]), uint32(launch->block[1]), uint32(launch->block[2])};
  const uint32 lanes = uint32(kiln_lanes());
  for (int64 b = begin; b < end; ++b) {
    row.block = {uint32(b % row.grid.x), uint32(b / row.grid.x % row.grid.y), uint32(b / row.grid.x / row.grid.y)};
    launch->waits->begin_block(launch->waits->owner);
    for (row.z = 0; row.z < row.block_size.z; ++row.z) {
      for (row.y = 0; row.y < row.block_size.y; ++row.y) {
        const uint32 first = (row.z * row.block_size.y + row.y) * row.block_size.x;
        for (row.begin = 0; row.begin < row.block_size.x; row.begin = row.end) {
          row.end = row.block_size.x - row.begin < lanes ? row.block_size.x : row.begin + lanes;
          waiting.add(threads(launch->waits, shared, launch, row), first + row.begin, first + row.end);
        }
      }
    }
    waiting.resume();
  }
}

template <class Threads>
KILN_FN void each_waiting_block(const kinds::CpuRawLaunch* launch, int64 begin, int64 end, const Threads& threads) {
  row_of_threads row;
  waiting_threads_of_block waiting{reinterpret_cast<waiting_threads**>(launch->waiting)};
  each_waiting_block(launch, begin, end, row, waiting, threads);
}

}  // namespace loops

}  // namespace kiln

// Of the body alone: it is handed to it.
#define KILN_DYNAMIC_SHARED(type) static_cast<type*>(kiln_dynamic_shared)

// Raw kernels on the CPU that are compiled to find races: one thread for each call, whose accesses and barriers are
// reported to the library. It runs each thread of a block on a stack of its own, so that they wait for one another.
#pragma once
#include "kiln/core/shared_memory.hpp"
#include "kiln/raw/cpu.hpp"
#include "kiln/raw/race.hpp"

extern "C" {
KILN_FAULT_BUFFER kiln::kinds::RaceTable kiln_race;
}

#if !KILN_DEBUG_ITEMS
namespace kiln {

KILN_FN void barrier(int line = __builtin_LINE(), int column = KILN_COLUMN, const char* file = __builtin_FILE()) {
  const kinds::FaultPlace here = debug::place();  // other threads run meanwhile
  kiln_race.barrier(kiln_race.checker, line, column, file);
  debug::place_of_thread = here;
  debug::stay_in_order();
}
KILN_FN void sync(int line = __builtin_LINE(), int column = KILN_COLUMN, const char* file = __builtin_FILE()) {
  barrier(line, column, file);
}

namespace loops {

// Runs f(thread, block, block_size, grid_size) for one thread of one block.
template <class F>
KILN_FN void one_thread(const kinds::CpuRawLaunch* launch, int64 block_number, int64 thread_number, const F& f) {
  const grid_place grid{uint32(launch->grid[0]), uint32(launch->grid[1]), uint32(launch->grid[2])};
  const grid_place threads{uint32(launch->block[0]), uint32(launch->block[1]), uint32(launch->block[2])};
  const grid_place block{uint32(block_number % grid.x), uint32(block_number / grid.x % grid.y),
                         uint32(block_number / grid.x / grid.y)};
  const grid_place thread{uint32(thread_number % threads.x), uint32(thread_number / threads.x % threads.y),
                          uint32(thread_number / threads.x / threads.y)};
  debug::enter_thread(block.x, block.y, block.z, thread.x, thread.y, thread.z);
  f(thread, block, threads, grid);
}

}  // namespace loops

}  // namespace kiln

// By the section the compiler's pass knows them.
#define KILN_SHARED static __attribute__((__section__("kiln_shared")))
// Of the body alone: it is handed to it.
#define KILN_DYNAMIC_SHARED(type) static_cast<type*>(kiln_dynamic_shared)
#endif

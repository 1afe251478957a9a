// Where a thread is, for every function of the user's, on the CPU: CUDA's words for it. lib/clang/passes/thread_places.cpp
// puts the variable of the kernel's own function in the place of kiln_here.
#pragma once
#include "kiln/core/cuda_words.hpp"
#include "kiln/raw/cpu.hpp"

namespace kiln::loops {

struct here_in_grid {
  void* dynamic;  // shared memory of the block; the pass reads the first member
  uint3 thread;
  uint3 block;
  dim3 block_size;
  dim3 grid_size;
  uint32* waits;  // of each thread of the block: the lanes that it waits for (warps_cpu.hpp)
  uint32* asks;   // 0, or the place at which it asks who is there, too; then these lanes
  bool whole;     // neighbours that are computed at once are whole warps

  KILN_FN void enter(const grid_place& t, const grid_place& b, const grid_place& threads, const grid_place& blocks) {
    thread = {t.x, t.y, t.z};
    block = {b.x, b.y, b.z};
    block_size = {threads.x, threads.y, threads.z};
    grid_size = {blocks.x, blocks.y, blocks.z};
  }
};

}  // namespace kiln::loops

extern "C" {
extern const kiln::loops::here_in_grid kiln_here;
void kiln_enter(const kiln::loops::here_in_grid* here);
}

namespace kiln {

static constexpr const uint3& threadIdx = kiln_here.thread;
static constexpr const uint3& blockIdx = kiln_here.block;
static constexpr const dim3& blockDim = kiln_here.block_size;
static constexpr const dim3& gridDim = kiln_here.grid_size;
constexpr int warpSize = 32;

}  // namespace kiln

#define __extern_shared__ extern __attribute__((__section__("kiln_dynamic")))

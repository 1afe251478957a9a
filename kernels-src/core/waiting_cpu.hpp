// Barriers on the CPU: threads of a block are lanes of vectors, which go on from barrier to barrier, one vector after the
// other. lib/clang/spmd/blocks.cpp is the other side of what is declared here. The kernel has a function
// kiln_threads(waiting, shared, …) that computes neighbouring threads and returns null.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/core/waiting.hpp"

extern "C" {
__attribute__((convergent)) void kiln_barrier();
// Of all KILN_SHARED variables; where they are; and who says so, for the function that it stands in.
__attribute__((const)) kiln::int64 kiln_shared_bytes();
void kiln_share(void* memory);
// How many neighbours kiln_threads() computes at once.
__attribute__((const)) kiln::int64 kiln_lanes();
KILN_NOINLINE __attribute__((used)) void* kiln_new_frame(const kiln::kinds::CpuWaiting* waiting, kiln::int64 bytes) {
  return waiting->new_frame(waiting->owner, bytes);
}
}

// By the section the compiler's pass knows them.
#define KILN_SHARED static __attribute__((__section__("kiln_shared")))

namespace kiln::loops {

// What waits at a barrier; resume() is null when it has ended.
struct waiting_threads {
  void (*resume)(waiting_threads*);
};

// What kiln_threads() returned, if it waits, behind `count` others.
KILN_FN int64 with_waiting(waiting_threads** all, int64 count, void* returned) {
  auto* const left = static_cast<waiting_threads*>(returned);
  if (left == nullptr || left->resume == nullptr) return count;
  all[count] = left;
  return count + 1;
}

// To the end. Threads that end without coming to a barrier keep no other waiting.
KILN_FN void resume_all(waiting_threads** all, int64 waiting) {
  while (waiting > 0) {
    int64 still = 0;
    for (int64 i = 0; i < waiting; ++i) {
      all[i]->resume(all[i]);
      if (all[i]->resume != nullptr) all[still++] = all[i];
    }
    waiting = still;
  }
}

}  // namespace kiln::loops

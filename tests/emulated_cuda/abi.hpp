// What an emulated kernel and the emulated driver share. Compiled into both: the kernel has no standard headers.
#pragma once

namespace kiln_emulated {

struct Position {
  unsigned x, y, z;
};

/// A place in the kernel's text.
struct Place {
  const char* file;
  int line;
};

/// What the lanes of a warp showed each other.
struct Exchange {
  unsigned lanes;  ///< those that took part
  unsigned long long values[32];
};

/// What a kernel asks of the driver.
struct Services {
  /// Waits for all threads of the block; how many of them gave something other than 0.
  int (*barrier)(int predicate, Place place);
  /// Waits for the lanes of the mask. Valid until the thread's next call.
  const Exchange* (*exchange)(unsigned mask, unsigned long long value, Place place);
  /// The lanes of the thread's warp that have not ended.
  unsigned (*active_lanes)();
  /// Lets other threads of the block go first.
  void (*yield)(Place place);
};

/// What the driver sets and knows of a module: the object's symbol "kiln_emulated_module".
struct Module {
  Position* thread;
  Position* block;
  Position* block_size;
  Position* grid_size;
  const Services** services;
  char* shared;  ///< of all kernels in the module
  char* shared_end;
  char* dynamic_shared;
  unsigned dynamic_shared_bytes;
};

/// Follows a kernel's name: what calls it with arguments that lie where cuLaunchKernel's parameters point.
using Call = void (*)(void** parameters);
#define KILN_EMULATED_CALL(name) name##_kiln_emulated

}  // namespace kiln_emulated

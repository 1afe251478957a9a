// Controls of the fake CUDA driver that the unit tests load in the place of libcuda. The emulator answers its calls. It writes
// them down, refuses what a test asks it to, and runs no launch: it shows what kiln asks of a driver.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct FakeLaunch {
  unsigned grid, block;
  std::uint64_t stream;  // 0 is the default stream, others count from 1
  int parameter_count;
  int sizes[40];
  unsigned char bytes[40][2560];
};

/// Forgets the log, the launches and every failure asked for; memory and streams stay.
void kiln_fake_reset();
/// The next call of that driver symbol answers `status`.
void kiln_fake_fail_next(const char* symbol, int status);
/// The same after that many calls of it have succeeded.
void kiln_fake_fail_after(int calls, const char* symbol, int status);
/// The next allocation from a pool succeeds, with a null address, as HIP's does where there is no memory.
void kiln_fake_null_next();
/// From now on every call that can answers `status`, as after a fault of a kernel.
void kiln_fake_fault(int status);
/// While busy, events are not ready; synchronizing a stream ends it.
void kiln_fake_set_busy(int busy);
/// Whether memory pools are offered; for backends opened afterwards.
void kiln_fake_set_pools(int supported);
void kiln_fake_set_capability(int major, int minor);
/// What was called, one line each: "cuMemAllocFromPoolAsync stream=0 bytes=256".
const char* kiln_fake_log();
int kiln_fake_launch_count();
const FakeLaunch* kiln_fake_launch(int index);
/// A stream of the host program's, in the primary context or in a foreign one.
void* kiln_fake_stream(int foreign);
/// Allocations not freed, streams and events not destroyed, modules not unloaded.
int kiln_fake_live_allocations();
int kiln_fake_live_streams();
/// Page-locked memory: allocated and not freed, registered and not unregistered.
int kiln_fake_live_host_memory();
int kiln_fake_live_events();
int kiln_fake_live_modules();
/// Graphs and executable graphs not destroyed.
int kiln_fake_live_graphs();
/// Depth of the calling thread's context stack, and a context of "somebody else" on top of it.
int kiln_fake_context_depth();
void kiln_fake_push_foreign_context();
void kiln_fake_pop_context();
}

/// Images that the fake loads, beside PTX: this word, then the sizes of the kernel's parameters, for example "FAKE-CUBIN 4 8
/// 8", then "shared" and the bytes of shared memory that its code asks for, where it does. With KILN_FAKE_ANY_IMAGE in the
/// environment it takes any, and looks at no parameter.
inline constexpr const char* kFakeImage = "FAKE-CUBIN";

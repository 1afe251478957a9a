// kiln's own declarations of the vendors' binary interfaces: opaque handles, integer status codes, the few constants used.
// tests/unit/library/gpu_abi_test.cpp holds them against cuda.h, nvrtc.h, hip_runtime_api.h and hiprtc.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kiln::backend::gpu::abi {

using Status = int;
using Handle = void*;   // context, stream, event, module, function, memory pool, program
using Address = void*;  // CUdeviceptr is a 64-bit integer, hipDeviceptr_t a pointer: one register either way

static_assert(sizeof(Address) == 8, "GPU addresses are 64 bits wide");

// Equal in CUDA and HIP.
inline constexpr Status kSuccess = 0;
inline constexpr Status kOutOfMemory = 2;
inline constexpr Status kDeinitialized = 4;
inline constexpr Status kNoDevice = 100;
inline constexpr Status kInvalidDevice = 101;
inline constexpr Status kInvalidHandle = 400;
inline constexpr Status kNotReady = 600;
inline constexpr Status kAlreadyPageLocked = 712;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kHostPortable = 1;  // page-locked for every context of the process
inline constexpr unsigned kEventWithTiming = 0;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr int kCaptureRelaxed = 2;  // of a stream: other calls of the thread go on as ever
inline constexpr int kPoolReleaseThreshold = 4;
inline constexpr int kPoolReservedBytes = 5;  // of the device, by the pool
inline constexpr int kPoolUsedBytes = 7;      // of these, in allocations
inline constexpr int kAllocationPinned = 1;   // of a pool: ordinary device memory
inline constexpr int kLocationDevice = 1;

// Of functions.
inline constexpr int kFunctionThreads = 0;
inline constexpr int kFunctionShared = 1;             // bytes that its code asks for
inline constexpr int kFunctionMostDynamicShared = 8;  // bytes that a launch may ask for

// Of cuModuleLoadDataEx; hipModuleLoadDataEx is given no options.
inline constexpr int kJitErrorLogBuffer = 5;
inline constexpr int kJitErrorLogBufferBytes = 6;
inline constexpr int kJitGenerateLineInfo = 13;

/// CUmemPoolProps and hipMemPoolProps.
struct PoolProps {
  int allocation_type = kAllocationPinned;
  int handle_types = 0;
  int location_type = kLocationDevice;
  int location_id = 0;
  void* security_attributes = nullptr;
  unsigned char reserved[64] = {};  // CUDA's maxSize and usage are in here: 0 is "no limit" and "ordinary"
};
static_assert(sizeof(PoolProps) == 88);

}  // namespace kiln::backend::gpu::abi

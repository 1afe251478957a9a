// kiln's declarations of the vendors' interfaces against the real headers, where they are installed: cuda.h, nvrtc.h,
// hip_runtime_api.h, hiprtc.h. The checks are made by the compiler; the cases say which of them were.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <type_traits>

#include "library/compiler_library.hpp"
#include "library/dialect.hpp"
#include "library/driver.hpp"

#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>)
#define KILN_TEST_CUDA 1
#include <cuda.h>
#include <nvrtc.h>
#else
#define KILN_TEST_CUDA 0
#endif

#if __has_include(<hip/hip_runtime_api.h>) && __has_include(<hip/hiprtc.h>)
#define KILN_TEST_HIP 1
#define __HIP_PLATFORM_AMD__ 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#pragma GCC diagnostic pop
#else
#define KILN_TEST_HIP 0
#endif

namespace {

using namespace kiln;
using namespace kiln::backend::gpu;

/// Passed alike by the C calling convention: integers, enumerations and pointers of one size.
template <typename A, typename B>
constexpr bool same_argument() {
  if constexpr (std::is_void_v<A> || std::is_void_v<B>) {
    return std::is_void_v<A> && std::is_void_v<B>;
  } else {
    constexpr auto plain = [](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      return std::is_integral_v<T> || std::is_enum_v<T> || std::is_pointer_v<T>;
    };
    // NOLINTNEXTLINE(bugprone-sizeof-expression): a pointer passes as a pointer, whatever it points to.
    return sizeof(A) == sizeof(B) && plain(static_cast<A*>(nullptr)) && plain(static_cast<B*>(nullptr));
  }
}

template <typename Own, typename Vendor>
struct SameCall : std::false_type {};
template <typename R1, typename... A1, typename R2, typename... A2>
struct SameCall<R1 (*)(A1...), R2 (*)(A2...)> {
  static constexpr bool check() {
    if constexpr (sizeof...(A1) != sizeof...(A2)) {
      return false;
    } else {
      return same_argument<R1, R2>() && (same_argument<A1, A2>() && ...);
    }
  }
  static constexpr bool value = check();
};

#define CALL(table, member, function)                                            \
  static_assert(SameCall<decltype(table::member), decltype(&(function))>::value, \
                #function " is declared otherwise by the vendor")
#define DRIVER(member, function) CALL(DriverTable, member, function)
#define COMPILER(member, function) CALL(CompilerTable, member, function)

// The check can fail: another number of parameters, another size, a structure by value.
static_assert(!SameCall<int (*)(int), int (*)(int, int)>::value);
static_assert(!SameCall<int (*)(int), int (*)(long)>::value);
static_assert(!SameCall<int (*)(void*), int (*)(abi::PoolProps)>::value);
static_assert(SameCall<int (*)(void*), int (*)(unsigned long)>::value);

#if KILN_TEST_CUDA
// cuda.h renames the versioned calls by macros: the names here are those of the table.
DRIVER(init, cuInit);
DRIVER(driver_version, cuDriverGetVersion);
DRIVER(error_name_of, cuGetErrorName);
DRIVER(error_text_of, cuGetErrorString);
DRIVER(device_count, cuDeviceGetCount);
DRIVER(device_get, cuDeviceGet);
DRIVER(device_name, cuDeviceGetName);
DRIVER(device_memory, cuDeviceTotalMem_v2);
DRIVER(device_attribute, cuDeviceGetAttribute);
DRIVER(primary_retain, cuDevicePrimaryCtxRetain);
DRIVER(context_get, cuCtxGetCurrent);
DRIVER(context_push, cuCtxPushCurrent_v2);
DRIVER(context_pop, cuCtxPopCurrent_v2);
DRIVER(synchronize, cuCtxSynchronize);
DRIVER(allocate, cuMemAlloc_v2);
DRIVER(deallocate, cuMemFree_v2);
DRIVER(pool_create, cuMemPoolCreate);
DRIVER(pool_set, cuMemPoolSetAttribute);
DRIVER(pool_trim, cuMemPoolTrimTo);
DRIVER(pool_allocate, cuMemAllocFromPoolAsync);
DRIVER(pool_deallocate, cuMemFreeAsync);
DRIVER(copy_to_device, cuMemcpyHtoDAsync_v2);
DRIVER(copy_to_host, cuMemcpyDtoHAsync_v2);
DRIVER(copy_on_device, cuMemcpyDtoDAsync_v2);
DRIVER(peer_copy_by_context, cuMemcpyPeerAsync);
DRIVER(host_allocate, cuMemHostAlloc);
DRIVER(host_deallocate, cuMemFreeHost);
DRIVER(host_register, cuMemHostRegister_v2);
DRIVER(host_unregister, cuMemHostUnregister);
DRIVER(stream_priorities, cuCtxGetStreamPriorityRange);
DRIVER(stream_create_with_priority, cuStreamCreateWithPriority);
DRIVER(stream_create, cuStreamCreate);
DRIVER(stream_destroy, cuStreamDestroy_v2);
DRIVER(stream_synchronize, cuStreamSynchronize);
DRIVER(stream_wait_event, cuStreamWaitEvent);
DRIVER(stream_context, cuStreamGetCtx);
DRIVER(event_create, cuEventCreate);
DRIVER(event_destroy, cuEventDestroy_v2);
DRIVER(event_record, cuEventRecord);
DRIVER(event_query, cuEventQuery);
DRIVER(event_synchronize, cuEventSynchronize);
DRIVER(event_elapsed, cuEventElapsedTime);
DRIVER(module_load, cuModuleLoadDataEx);
DRIVER(module_unload, cuModuleUnload);
DRIVER(module_function, cuModuleGetFunction);
DRIVER(module_global, cuModuleGetGlobal_v2);
DRIVER(function_get, cuFuncGetAttribute);
DRIVER(function_set, cuFuncSetAttribute);
DRIVER(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor);
DRIVER(launch, cuLaunchKernel);
COMPILER(version, nvrtcVersion);
COMPILER(error_text, nvrtcGetErrorString);
COMPILER(arch_count, nvrtcGetNumSupportedArchs);
COMPILER(archs, nvrtcGetSupportedArchs);
COMPILER(create, nvrtcCreateProgram);
COMPILER(destroy, nvrtcDestroyProgram);
COMPILER(compile, nvrtcCompileProgram);
COMPILER(log_size, nvrtcGetProgramLogSize);
COMPILER(log, nvrtcGetProgramLog);
COMPILER(code_size, nvrtcGetCUBINSize);
COMPILER(code, nvrtcGetCUBIN);
COMPILER(assembly_size, nvrtcGetPTXSize);
COMPILER(assembly, nvrtcGetPTX);

static_assert(sizeof(CUdeviceptr) == sizeof(abi::Address));
static_assert(sizeof(CUmemPoolProps) == sizeof(abi::PoolProps));
static_assert(offsetof(CUmemPoolProps, handleTypes) == offsetof(abi::PoolProps, handle_types));
static_assert(offsetof(CUmemPoolProps, location) == offsetof(abi::PoolProps, location_type));
static_assert(offsetof(CUmemLocation, id) == sizeof(int));
static_assert(offsetof(CUmemPoolProps, win32SecurityAttributes) == offsetof(abi::PoolProps, security_attributes));
static_assert(CU_MEM_ALLOCATION_TYPE_PINNED == abi::kAllocationPinned);
static_assert(CU_MEM_LOCATION_TYPE_DEVICE == abi::kLocationDevice);
static_assert(CU_MEM_HANDLE_TYPE_NONE == 0);
static_assert(CU_STREAM_CAPTURE_MODE_RELAXED == abi::kCaptureRelaxed);
static_assert(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD == abi::kPoolReleaseThreshold);
static_assert(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT == abi::kPoolReservedBytes);
static_assert(CU_MEMPOOL_ATTR_USED_MEM_CURRENT == abi::kPoolUsedBytes);
static_assert(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK == abi::kFunctionThreads);
static_assert(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES == abi::kFunctionShared);
static_assert(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES == abi::kFunctionMostDynamicShared);
static_assert(CU_STREAM_NON_BLOCKING == abi::kStreamNonBlocking);
static_assert(CU_EVENT_DISABLE_TIMING == abi::kEventDisableTiming);
static_assert(CU_JIT_ERROR_LOG_BUFFER == abi::kJitErrorLogBuffer);
static_assert(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES == abi::kJitErrorLogBufferBytes);
static_assert(CU_JIT_GENERATE_LINE_INFO == abi::kJitGenerateLineInfo);
static_assert(CUDA_SUCCESS == abi::kSuccess && NVRTC_SUCCESS == abi::kSuccess);
static_assert(CUDA_ERROR_OUT_OF_MEMORY == abi::kOutOfMemory);
static_assert(CUDA_ERROR_DEINITIALIZED == abi::kDeinitialized);
static_assert(CUDA_ERROR_NOT_READY == abi::kNotReady);
static_assert(CUDA_ERROR_INVALID_HANDLE == abi::kInvalidHandle);
static_assert(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED == abi::kAlreadyPageLocked);
static_assert(CU_MEMHOSTALLOC_PORTABLE == abi::kHostPortable && CU_MEMHOSTREGISTER_PORTABLE == abi::kHostPortable);
static_assert(CUDA_ERROR_NO_DEVICE == abi::kNoDevice && CUDA_ERROR_INVALID_DEVICE == abi::kInvalidDevice);

TEST_CASE("gpu abi: CUDA's attribute numbers are cuda.h's") {
  const AttributeNumbers& own = dialect_of(DeviceKind::cuda).attribute;
  CHECK(own.multiprocessors == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  CHECK(own.threads_per_multiprocessor == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  CHECK(own.warp_size == CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  CHECK(own.threads_per_block == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  CHECK(own.block_x == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  CHECK(own.block_x + 1 == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  CHECK(own.block_x + 2 == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  CHECK(own.grid_x == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  CHECK(own.grid_x + 1 == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  CHECK(own.grid_x + 2 == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  CHECK(own.shared_per_block == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  CHECK(own.shared_per_block_on_request == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  CHECK(own.l2_bytes == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  CHECK(own.memory_pools == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
  CHECK(own.capability_major == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  CHECK(own.capability_minor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}
#endif

#if KILN_TEST_HIP
DRIVER(init, hipInit);
DRIVER(driver_version, hipRuntimeGetVersion);
DRIVER(error_name, hipGetErrorName);
DRIVER(error_text, hipGetErrorString);
DRIVER(device_count, hipGetDeviceCount);
DRIVER(device_get, hipDeviceGet);
DRIVER(device_name, hipDeviceGetName);
DRIVER(device_memory, hipDeviceTotalMem);
DRIVER(device_attribute, hipDeviceGetAttribute);
DRIVER(device_properties, hipGetDeviceProperties);
DRIVER(device_current, hipGetDevice);
DRIVER(device_select, hipSetDevice);
DRIVER(synchronize, hipDeviceSynchronize);
DRIVER(deallocate, hipFree);
DRIVER(pool_create, hipMemPoolCreate);
DRIVER(pool_set, hipMemPoolSetAttribute);
DRIVER(pool_trim, hipMemPoolTrimTo);
DRIVER(pool_deallocate, hipFreeAsync);
DRIVER(copy_to_device, hipMemcpyHtoDAsync);
DRIVER(copy_to_host, hipMemcpyDtoHAsync);
DRIVER(copy_on_device, hipMemcpyDtoDAsync);
DRIVER(peer_copy_by_device, hipMemcpyPeerAsync);
// hipHostMalloc has an overload of its own for C++, so that its address is not one function's.
DRIVER(host_deallocate, hipHostFree);
DRIVER(host_register, hipHostRegister);
DRIVER(host_unregister, hipHostUnregister);
DRIVER(stream_priorities, hipDeviceGetStreamPriorityRange);
DRIVER(stream_create_with_priority, hipStreamCreateWithPriority);
DRIVER(stream_create, hipStreamCreateWithFlags);
DRIVER(stream_destroy, hipStreamDestroy);
DRIVER(stream_synchronize, hipStreamSynchronize);
DRIVER(stream_wait_event, hipStreamWaitEvent);
DRIVER(event_create, hipEventCreateWithFlags);
DRIVER(event_destroy, hipEventDestroy);
DRIVER(event_record, hipEventRecord);
DRIVER(event_query, hipEventQuery);
DRIVER(event_synchronize, hipEventSynchronize);
DRIVER(event_elapsed, hipEventElapsedTime);
DRIVER(module_load, hipModuleLoadDataEx);
DRIVER(module_unload, hipModuleUnload);
DRIVER(module_function, hipModuleGetFunction);
DRIVER(module_global, hipModuleGetGlobal);
DRIVER(occupancy, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor);
DRIVER(launch, hipModuleLaunchKernel);
// hip_runtime_api.h adds C++ overloads of these two: the C ones are picked by their type.
static_assert(
    SameCall<decltype(DriverTable::allocate), hipError_t (*)(void**, size_t)>::value &&
    std::is_same_v<decltype(static_cast<hipError_t (*)(void**, size_t)>(&hipMalloc)), hipError_t (*)(void**, size_t)>);
using HipFromPool = hipError_t (*)(void**, size_t, hipMemPool_t, hipStream_t);
static_assert(SameCall<decltype(DriverTable::pool_allocate), HipFromPool>::value &&
              std::is_same_v<decltype(static_cast<HipFromPool>(&hipMallocFromPoolAsync)), HipFromPool>);
COMPILER(version, hiprtcVersion);
COMPILER(error_text, hiprtcGetErrorString);
COMPILER(create, hiprtcCreateProgram);
COMPILER(destroy, hiprtcDestroyProgram);
COMPILER(compile, hiprtcCompileProgram);
COMPILER(log_size, hiprtcGetProgramLogSize);
COMPILER(log, hiprtcGetProgramLog);
COMPILER(code_size, hiprtcGetCodeSize);
COMPILER(code, hiprtcGetCode);

static_assert(sizeof(hipDeviceptr_t) == sizeof(abi::Address));
static_assert(sizeof(hipMemPoolProps) == sizeof(abi::PoolProps));
static_assert(offsetof(hipMemPoolProps, handleTypes) == offsetof(abi::PoolProps, handle_types));
static_assert(offsetof(hipMemPoolProps, location) == offsetof(abi::PoolProps, location_type));
static_assert(offsetof(hipMemLocation, id) == sizeof(int));
static_assert(hipMemAllocationTypePinned == abi::kAllocationPinned);
static_assert(hipMemLocationTypeDevice == abi::kLocationDevice);
static_assert(hipStreamCaptureModeRelaxed == abi::kCaptureRelaxed);
static_assert(hipMemPoolAttrReleaseThreshold == abi::kPoolReleaseThreshold);
static_assert(hipMemPoolAttrReservedMemCurrent == abi::kPoolReservedBytes);
static_assert(hipMemPoolAttrUsedMemCurrent == abi::kPoolUsedBytes);
static_assert(hipStreamNonBlocking == abi::kStreamNonBlocking);
static_assert(hipEventDisableTiming == abi::kEventDisableTiming);
static_assert(hipSuccess == abi::kSuccess && HIPRTC_SUCCESS == abi::kSuccess);
static_assert(hipErrorOutOfMemory == abi::kOutOfMemory);
static_assert(hipErrorDeinitialized == abi::kDeinitialized);
static_assert(hipErrorNotReady == abi::kNotReady);
static_assert(hipErrorNoDevice == abi::kNoDevice && hipErrorInvalidDevice == abi::kInvalidDevice);
#if HIP_VERSION_MAJOR >= 6
static_assert(offsetof(hipDeviceProp_t, gcnArchName) == 1160);
#else
static_assert(offsetof(hipDeviceProp_t, gcnArchName) == 396);
#endif
static_assert(sizeof(hipDeviceProp_t) < 16384);

TEST_CASE("gpu abi: HIP's attribute numbers are hip_runtime_api.h's") {
  const AttributeNumbers& own = dialect_of(DeviceKind::hip).attribute;
  CHECK(own.multiprocessors == hipDeviceAttributeMultiprocessorCount);
  CHECK(own.threads_per_multiprocessor == hipDeviceAttributeMaxThreadsPerMultiProcessor);
  CHECK(own.warp_size == hipDeviceAttributeWarpSize);
  CHECK(own.threads_per_block == hipDeviceAttributeMaxThreadsPerBlock);
  CHECK(own.block_x == hipDeviceAttributeMaxBlockDimX);
  CHECK(own.block_x + 1 == hipDeviceAttributeMaxBlockDimY);
  CHECK(own.block_x + 2 == hipDeviceAttributeMaxBlockDimZ);
  CHECK(own.grid_x == hipDeviceAttributeMaxGridDimX);
  CHECK(own.grid_x + 1 == hipDeviceAttributeMaxGridDimY);
  CHECK(own.grid_x + 2 == hipDeviceAttributeMaxGridDimZ);
  CHECK(own.shared_per_block == hipDeviceAttributeMaxSharedMemoryPerBlock);
  CHECK(own.l2_bytes == hipDeviceAttributeL2CacheSize);
  CHECK(own.memory_pools == hipDeviceAttributeMemoryPoolsSupported);
  CHECK(own.capability_major == hipDeviceAttributeComputeCapabilityMajor);
  CHECK(own.capability_minor == hipDeviceAttributeComputeCapabilityMinor);
}
#endif

}  // namespace

TEST_CASE("gpu abi: which vendors' headers were checked") {
  const std::string cuda = KILN_TEST_CUDA ? "checked" : "not installed";
  const std::string hip = KILN_TEST_HIP ? "checked" : "not installed";
  MESSAGE("cuda.h and nvrtc.h: ", cuda, "; hip_runtime_api.h and hiprtc.h: ", hip);
}

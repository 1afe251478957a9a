// The two dialects: library names and attribute numbers.
#include "library/dialect.hpp"

namespace kiln::backend::gpu {
namespace {

constexpr const char* kCudaDriver[] = {"libcuda.so.1"};
// WSL keeps the driver out of the loader's way. Not the toolkit's stubs folder: that libcuda answers every call with an error.
constexpr const char* kCudaDriverHomes[] = {"/usr/lib/wsl"};
constexpr const char* kNvrtc[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
constexpr const char* kCufft[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10"};
constexpr const char* kCudaHomeVariables[] = {"CUDA_PATH", "CUDA_HOME"};
constexpr const char* kCudaHomes[] = {"/usr/local/cuda"};
constexpr const char* kCudaFolders[] = {"lib64", "lib"};

// Of nvidia-cuda-nvrtc-cu12 and nvidia-cuda-nvrtc, and of their kin. Since CUDA 13 all are in one folder.
constexpr const char* kNvrtcPackages[] = {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"};
constexpr const char* kCufftPackages[] = {"nvidia/cu13/lib", "nvidia/cufft/lib"};

constexpr const char* kNvdisasmArguments[] = {"--print-code"};
constexpr const char* kCuobjdumpArguments[] = {"--dump-sass"};
constexpr DisassemblerProgram kCudaDisassemblers[] = {{"nvdisasm", kNvdisasmArguments}, {"cuobjdump", kCuobjdumpArguments}};

constexpr const char* kHipDriver[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
// Before ROCm 5.6 hipRTC was inside the runtime.
constexpr const char* kHiprtc[] = {"libhiprtc.so.7",   "libhiprtc.so.6",   "libhiprtc.so.5",
                                   "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
constexpr const char* kHipfft[] = {"libhipfft.so.0"};
constexpr const char* kHipHomeVariables[] = {"ROCM_PATH", "HIP_PATH"};
constexpr const char* kHipHomes[] = {"/opt/rocm"};
constexpr const char* kHipFolders[] = {"lib", "lib64"};

// Of rocm-sdk-core and rocm-sdk-libraries-*.
constexpr const char* kHipPackages[] = {"_rocm_sdk_core/lib"};
constexpr const char* kHipfftPackages[] = {"_rocm_sdk_libraries/lib", "_rocm_sdk_core/lib"};

constexpr const char* kHiprtcVariables[] = {"HIPRTC_COMPILE_OPTIONS_APPEND", "HIPRTC_LINK_OPTIONS_APPEND"};

constexpr Dialect kCuda = {
    .kind = DeviceKind::cuda,
    .prefix = "cuda",
    .runtime = "CUDA",
    .compiler = "NVRTC",
    .driver_advice = "install the NVIDIA driver, or name its file in KILN_CUDA",
    .compiler_advice =
        "install the CUDA toolkit or its NVRTC package (pip install nvidia-cuda-nvrtc-cu12), set CUDA_PATH, or name the file "
        "in "
        "KILN_NVRTC",
    .driver = {"KILN_CUDA", kCudaDriver, {}, kCudaDriverHomes, kCudaFolders, {}, true},
    .compiler_library = {"KILN_NVRTC", kNvrtc, kCudaHomeVariables, kCudaHomes, kCudaFolders, kNvrtcPackages, false},
    .fft = "cuFFT",
    .fft_prefix = "CUFFT_",
    .fft_advice = "install the CUDA toolkit or its cuFFT package, set CUDA_PATH, or name the file in KILN_CUFFT",
    .fft_library = {"KILN_CUFFT", kCufft, kCudaHomeVariables, kCudaHomes, kCudaFolders, kCufftPackages, true},
    .names_by_argument = true,
    .context = ContextModel::primary_context,
    .attribute = {.multiprocessors = 16,
                  .threads_per_multiprocessor = 39,
                  .warp_size = 10,
                  .threads_per_block = 1,
                  .block_x = 2,
                  .grid_x = 5,
                  .shared_per_block = 8,
                  .shared_per_block_on_request = 97,
                  .l2_bytes = 38,
                  .memory_pools = 115,
                  .capability_major = 75,
                  .capability_minor = 76},
    .max_dispatch_threads = 0,
    .minimum_compiler = 1200,
    .compiler_locks = false,
    .driver_limits_compiler = true,
    .report_option = "--ptxas-options=-v",
    .disassemblers = kCudaDisassemblers,
    .disassembler_advice = "install the CUDA toolkit's binary utilities (nvdisasm), or set CUDA_PATH; ptx needs NVRTC alone",
    .tries_pools = false,
    .ends_with_exit = false,
    .register_read_only = 8,
    .load_log = true,
    .option_variables = {},
};

constexpr Dialect kHip = {
    .kind = DeviceKind::hip,
    .prefix = "hip",
    .runtime = "HIP",
    .compiler = "hipRTC",
    .driver_advice = "install ROCm's HIP runtime, set ROCM_PATH, or name its file in KILN_HIP",
    .compiler_advice = "install ROCm's HIP runtime (Debian: libamdhip64-dev), set ROCM_PATH, or name the file in KILN_HIPRTC",
    .driver = {"KILN_HIP", kHipDriver, kHipHomeVariables, kHipHomes, kHipFolders, kHipPackages, true},
    .compiler_library = {"KILN_HIPRTC", kHiprtc, kHipHomeVariables, kHipHomes, kHipFolders, kHipPackages, false},
    .fft = "hipFFT",
    .fft_prefix = "HIPFFT_",
    .fft_advice = "install ROCm's hipfft and rocfft, set ROCM_PATH, or name the file in KILN_HIPFFT",
    .fft_library = {"KILN_HIPFFT", kHipfft, kHipHomeVariables, kHipHomes, kHipFolders, kHipfftPackages, true},
    .names_by_argument = false,
    .context = ContextModel::set_device,
    .attribute = {.multiprocessors = 63,
                  .threads_per_multiprocessor = 57,
                  .warp_size = 87,
                  .threads_per_block = 56,
                  .block_x = 26,
                  .grid_x = 29,
                  .shared_per_block = 74,
                  .shared_per_block_on_request = 74,
                  .l2_bytes = 19,
                  .memory_pools = 88,
                  .capability_major = 23,
                  .capability_minor = 61},
    .max_dispatch_threads = (std::int64_t{1} << 32) - 1,  // work-items are counted in 32 bits
    .minimum_compiler = 500,
    .compiler_locks = true,
    .driver_limits_compiler = false,
    .report_option = "",
    .disassemblers = {},
    .disassembler_advice = "",
    .tries_pools = true,
    .ends_with_exit = true,
    .register_read_only = 0,
    .load_log = false,
    .option_variables = kHiprtcVariables,
};

constexpr std::array<const Dialect*, kVendors> kAll = {&kCuda, &kHip};

}  // namespace

std::size_t vendor_number(DeviceKind kind) noexcept {
  std::size_t number = 0;
  while (kAll[number]->kind != kind) ++number;
  return number;
}

const Dialect& dialect_of(DeviceKind kind) {
  return *kAll[vendor_number(kind)];
}

}  // namespace kiln::backend::gpu

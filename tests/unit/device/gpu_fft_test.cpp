// The FFT libraries of the GPUs' vendors: their symbols, and what is said where they are missing or refuse.
#include <doctest/doctest.h>

#include <cstdio>

#include "kiln/error.hpp"
#include "library/fft_library.hpp"
#include "library/library.hpp"
#include "test_libraries.hpp"

using namespace kiln;
using namespace kiln::backend::gpu;

namespace {

std::string opening_error(DeviceKind kind, const std::vector<std::string>& names) {
  try {
    const FftLibrary library(dialect_of(kind), names);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("gpu fft: the real cuFFT has every symbol") {
  const auto names = candidates(dialect_of(DeviceKind::cuda).fft_library);
  const std::string error = opening_error(DeviceKind::cuda, names);
  if (error.find("was not found") != std::string::npos) {
    std::printf("KILN-NOT-RUN cufft 1\n");
    return;
  }
  CHECK(error == "no error");
}

TEST_CASE("gpu fft: a library that is missing is told with every path that was tried") {
  CHECK(opening_error(DeviceKind::cuda, {"/nowhere/libcufft.so.12"}) ==
        "cuFFT was not found: tried /nowhere/libcufft.so.12 (no such file); install the CUDA toolkit or its cuFFT package, set "
        "CUDA_PATH, or name the file in KILN_CUFFT");
  CHECK(opening_error(DeviceKind::hip, {"libkiln-no-such-hipfft.so.0"}) ==
        "hipFFT was not found: tried libkiln-no-such-hipfft.so.0 (not found by the loader); install ROCm's hipfft and rocfft, "
        "set "
        "ROCM_PATH, or name the file in KILN_HIPFFT");
  CHECK(opening_error(DeviceKind::cuda, {KILN_FAKE_CUDA_LIBRARY}).find(" has no symbol cufftCreate, which kiln needs") !=
        std::string::npos);
}

TEST_CASE("gpu fft: what a library refuses has its name") {
  const FftLibrary cuda(dialect_of(DeviceKind::cuda), {KILN_FAKE_FFT_LIBRARY});
  const DeviceError error = cuda.error(2, "make an FFT plan", "cuda:0");
  CHECK(std::string(error.what()) == "failed to make an FFT plan on cuda:0: CUFFT_ALLOC_FAILED (libfakefft.so)");
  CHECK(error.code() == 2);
  CHECK(error.code_name() == "CUFFT_ALLOC_FAILED");
  const FftLibrary hip(dialect_of(DeviceKind::hip), {KILN_FAKE_FFT_LIBRARY});
  CHECK(hip.error(99, "run an FFT", "hip:1").code_name() == "HIPFFT_status 99");
}

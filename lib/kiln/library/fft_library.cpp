#include "library/fft_library.hpp"

#include <array>
#include <filesystem>
#include <memory>
#include <mutex>

#include "base/environment.hpp"
#include "library/driver.hpp"
#include "library/library.hpp"
#include "library/resolve.hpp"

namespace kiln::backend::gpu {
namespace {

/// cuFFT counts its own releases: 12 is that of CUDA 13.
constexpr int kBehindCuda = 1;

std::unique_ptr<const FftLibrary> find_fft_library(const Driver& driver) {
  const Dialect& dialect = driver.dialect();
  const int newest = dialect.driver_limits_compiler ? driver_version_major(dialect.kind) - kBehindCuda : 0;
  return std::make_unique<FftLibrary>(dialect, candidates(dialect.fft_library, {}, newest > 0 ? newest : 0));
}

/// The numbers are the same in both libraries.
std::string status_name(FftTable::Status status) {
  constexpr std::array<const char*, 21> kNames = {"SUCCESS",
                                                  "INVALID_PLAN",
                                                  "ALLOC_FAILED",
                                                  "INVALID_TYPE",
                                                  "INVALID_VALUE",
                                                  "INTERNAL_ERROR",
                                                  "EXEC_FAILED",
                                                  "SETUP_FAILED",
                                                  "INVALID_SIZE",
                                                  "UNALIGNED_DATA",
                                                  "INCOMPLETE_PARAMETER_LIST",
                                                  "INVALID_DEVICE",
                                                  "PARSE_ERROR",
                                                  "NO_WORKSPACE",
                                                  "NOT_IMPLEMENTED",
                                                  "LICENSE_ERROR",
                                                  "NOT_SUPPORTED",
                                                  "MISSING_DEPENDENCY",
                                                  "NVRTC_FAILURE",
                                                  "NVJITLINK_FAILURE",
                                                  "NVSHMEM_FAILURE"};
  const auto at = static_cast<std::size_t>(status);
  return status >= 0 && at < kNames.size() ? kNames[at] : "status " + std::to_string(status);
}

}  // namespace

const FftLibrary& FftLibrary::of(const Driver& driver) {
  const Dialect& dialect = driver.dialect();
  if (driver.is_emulator() && base::env(dialect.fft_library.variable).value_or("").empty()) {
    throw DeviceError(std::string(dialect.fft) +
                      " needs a GPU, and the emulator runs kernels alone; transform on Device::cpu()");
  }
  static std::mutex mutex;
  // Leaked on purpose: plans may be destroyed while the process exits.
  static std::unique_ptr<const FftLibrary>* const found = new std::unique_ptr<const FftLibrary>[kVendors];
  const std::lock_guard guard(mutex);
  auto& library = found[vendor_number(dialect.kind)];
  if (!library) library = find_fft_library(driver);
  return *library;
}

FftLibrary::FftLibrary(const Dialect& dialect, const std::vector<std::string>& names) : dialect_(dialect) {
  auto opened = base::DynamicLibrary::open_first(names, base::Unload::never);
  if (!opened.library) {
    shorten(opened.attempts);
    throw DeviceError(std::string(dialect.fft) + " was not found: tried " + base::describe(opened.attempts) + "; " +
                      dialect.fft_advice);
  }
  library_ = std::move(opened.library);
  path_ = library_.path();
  const Resolver resolve{library_, dialect.kind, path_};
#define KILN_GPU_SYMBOL(member, cuda, hip, need, ...) resolve(calls_.member, cuda, hip, Need::need);
#include "library/fft_symbols.inc"
#undef KILN_GPU_SYMBOL
}

DeviceError FftLibrary::error(FftTable::Status status, const std::string& what, const std::string& device) const {
  const std::string name = std::string(dialect_.fft_prefix) + status_name(status);
  return DeviceError(
      "failed to " + what + " on " + device + ": " + name + " (" + std::filesystem::path(path_).filename().string() + ")",
      status, name);
}

}  // namespace kiln::backend::gpu

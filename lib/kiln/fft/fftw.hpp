// The FFTW 3 interface, of one precision: FFTW's own library, or one of the same interface.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "base/dynamic_library.hpp"

namespace kiln::fft {

/// fftw_iodim64: an extent, and the strides of both sides in elements of their dtype.
struct FftwDim {
  std::ptrdiff_t n;
  std::ptrdiff_t in;
  std::ptrdiff_t out;
};

/// Of one precision: addresses are of its real or complex numbers.
struct FftwTable {
  using Plan = struct FftwOpaquePlan*;
  Plan (*plan_dft)(int rank, const FftwDim* dims, int batch_rank, const FftwDim* batch, void* in, void* out, int sign,
                   unsigned flags) = nullptr;
  Plan (*plan_r2c)(int rank, const FftwDim* dims, int batch_rank, const FftwDim* batch, void* in, void* out,
                   unsigned flags) = nullptr;
  Plan (*plan_c2r)(int rank, const FftwDim* dims, int batch_rank, const FftwDim* batch, void* in, void* out,
                   unsigned flags) = nullptr;
  void (*execute_dft)(Plan plan, void* in, void* out) = nullptr;
  void (*execute_r2c)(Plan plan, void* in, void* out) = nullptr;
  void (*execute_c2r)(Plan plan, void* in, void* out) = nullptr;
  void (*destroy)(Plan plan) = nullptr;
  int (*alignment_of)(void* address) = nullptr;
  // Of a library with threads; null where there is none.
  int (*init_threads)() = nullptr;
  void (*plan_with_threads)(int threads) = nullptr;
  int (*planner_threads)() = nullptr;     ///< since 3.3.9
  void (*make_planner_safe)() = nullptr;  ///< since 3.3.5: against the host program's own planning
};

/// Takes the lock around fork(), so that no thread that is not in the child holds it there. Locks are taken in the order in
/// which they are given. The mutex is never destroyed.
void keep_free_in_children(std::mutex& mutex);

/// Flags of FFTW's planner.
inline constexpr unsigned kFftwMeasure = 0, kFftwDestroyInput = 1, kFftwUnaligned = 2, kFftwPreserveInput = 16,
                          kFftwEstimate = 64;

/// Thread-safe. Never unloaded.
class Fftw {
 public:
  /// float32's or float64's, opened once: the file or the folder that KILN_FFTW names, else libfftw3f.so.3 or libfftw3.so.3 by
  /// the loader. DeviceError with every path tried, and looked for again at the next call, where there is none.
  [[nodiscard]] static const Fftw& of(bool single);

  /// From a given list of names, for tests. Throws as of() does.
  Fftw(bool single, const std::vector<std::string>& names);

  [[nodiscard]] const FftwTable& calls() const noexcept { return calls_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Whether plans can use several threads.
  [[nodiscard]] bool has_threads() const noexcept { return calls_.plan_with_threads != nullptr; }

  /// Held while a plan is made or destroyed: FFTW does neither in two threads at once.
  [[nodiscard]] static std::unique_lock<std::mutex> lock_planner();

 private:
  void open_threads(bool single);

  base::DynamicLibrary library_;
  base::DynamicLibrary threads_;
  std::string path_;
  FftwTable calls_;
};

}  // namespace kiln::fft

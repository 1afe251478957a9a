// Plans of FFTW, kept by what they are for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/fft.hpp"
#include "fft/fftw.hpp"
#include "kiln/fft.hpp"

namespace kiln::fft {

using backend::FftKind;

/// What one execution computes, without a factor.
struct FftwProblem {
  FftKind kind = FftKind::complex;
  bool inverse = false;
  bool single = true;
  bool keeps_input = true;  ///< of complex_to_real along one axis; along several FFTW cannot
  Planning planning = Planning::estimate;
  int threads = 1;
  std::vector<FftwDim> dims = {};   ///< transformed; the last one is that which real kinds halve
  std::vector<FftwDim> batch = {};  ///< any number of any strides
};

class FftwPlan {
 public:
  FftwPlan(const FftwProblem& problem, const Fftw& library, FftwTable::Plan plan) noexcept
      : kind_(problem.kind), library_(library), plan_(plan) {}
  ~FftwPlan();
  FftwPlan(const FftwPlan&) = delete;
  FftwPlan& operator=(const FftwPlan&) = delete;

  /// Thread-safe.
  void execute(void* in, void* out) const;

 private:
  FftKind kind_;
  const Fftw& library_;
  FftwTable::Plan plan_;
};

/// A plan for these arrays, and for others that are aligned as they are, and the same where they are; no element of them is
/// touched. `steps` are distances in bytes at which executions of one plan may lie apart. Thread-safe. DeviceError as
/// Fftw::of(), and where FFTW has no plan.
[[nodiscard]] std::shared_ptr<const FftwPlan> plan_for(const FftwProblem& problem, void* in, void* out,
                                                       std::span<const std::ptrdiff_t> steps = {});

}  // namespace kiln::fft

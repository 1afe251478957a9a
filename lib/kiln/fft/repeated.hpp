// Calls that are made again with arrays that lie alike: short transforms take about as long as looking at their arguments.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "fft/fftw_plan.hpp"
#include "kiln/array.hpp"

namespace kiln::fft {

/// What a call is besides its arrays.
struct CallKey {
  const char* name = "";  ///< of the public function: one address for each
  std::optional<std::span<const int>> axes;
  std::optional<std::span<const std::int64_t>> s;
  Norm norm = Norm::backward;
  Planning planning = Planning::estimate;
};

/// A call that was one execution by the calling thread, and then a factor on numbers that lie together.
struct OneExecution {
  std::shared_ptr<const FftwPlan> plan;
  double factor = 1;
  std::int64_t reals = 0;  ///< that are multiplied
  bool single = true;
};

/// The call on host arrays and the default stream, where this thread has made one like it: the result, else an empty handle.
[[nodiscard]] Array run_repeated(const CallKey& key, const Array& a, const Array& out);

/// Notes what becomes of this thread's call while it lives, and at its end() remembers it where it was one execution.
class Remembered {
 public:
  Remembered() noexcept;
  ~Remembered();
  Remembered(const Remembered&) = delete;
  Remembered& operator=(const Remembered&) = delete;
  void end(const CallKey& key, const Array& a, const Array& out, const Array& result);

  /// The running call has made this execution; nothing happens where there is no such call.
  static void note(OneExecution execution);
  /// The running call is not that simple.
  static void forget() noexcept;

 private:
  std::optional<OneExecution> noted_;
};

}  // namespace kiln::fft

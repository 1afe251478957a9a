// Fourier transforms by the library of a GPU's vendor: what one execution computes, and a plan for it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace kiln::backend {

class Queue;

enum class FftKind : std::uint8_t { complex, real_to_complex, complex_to_real };

/// How the elements of one side lie, in elements of its dtype. Element (i, j, k) of transform b is at
/// b·distance + ((i·embed[1] + j)·embed[2] + k)·stride.
struct FftSide {
  std::array<std::int64_t, 3> embed{1, 1, 1};  ///< embed[0] is not used
  std::int64_t stride = 1;
  std::int64_t distance = 1;
  friend bool operator==(const FftSide&, const FftSide&) = default;
};

/// Equal transforms of up to three axes, without a factor. The last axis is that which real kinds halve.
struct FftLayout {
  FftKind kind = FftKind::complex;
  bool single = true;  ///< float32; else float64
  int rank = 1;
  std::array<std::int64_t, 3> n{1, 1, 1};  ///< points
  std::int64_t batch = 1;
  FftSide in;
  FftSide out;
  friend bool operator==(const FftLayout&, const FftLayout&) = default;
};

/// Thread-safe.
class FftPlan {
 public:
  virtual ~FftPlan() = default;
  /// Queues the transforms; null: the default stream. `in` may be `out` where both sides lie alike, and is overwritten where
  /// the kind is complex_to_real. `inverse` is for complex ones. `keep` is held until they are done. DeviceError where the
  /// library refuses.
  virtual void execute(void* in, void* out, bool inverse, Queue* queue, const std::shared_ptr<const void>& keep) = 0;
};

}  // namespace kiln::backend

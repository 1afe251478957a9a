#include "fft/factor.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/have_cpu.hpp"
#include "device/backend.hpp"
#include "registry/registry.hpp"
#if KILN_HAVE_CPU
#include "device/cpu/backend.hpp"
#endif

namespace kiln::fft {
namespace {

/// Bytes of a task: waking another thread is nothing beside them.
constexpr std::int64_t kTaskBytes = std::int64_t{1} << 20;

template <class Real>
void multiply_run(Real* values, std::int64_t count, Real factor) {
  // Several vectors in each iteration: with one of 16 bytes, g++ 12's loop for float64 takes twice as long where it lies badly.
  constexpr std::int64_t kAtOnce = 64 / sizeof(Real);
  std::int64_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    for (std::int64_t j = 0; j < kAtOnce; ++j) values[i + j] *= factor;
  }
  for (; i < count; ++i) values[i] *= factor;
}

template <class Real>
void multiply_row(char* data, const Region::Axis& row, bool complex, Real factor) {
  const std::int64_t reals = complex ? 2 : 1;
  if (row.stride == reals * static_cast<std::int64_t>(sizeof(Real))) {
    return multiply_run(reinterpret_cast<Real*>(data), row.extent * reals, factor);
  }
  for (std::int64_t i = 0; i < row.extent; ++i) multiply_run(reinterpret_cast<Real*>(data + i * row.stride), reals, factor);
}

void multiply_row(const Region& region, char* data, const Region::Axis& row, double factor) {
  if (region.single) {
    multiply_row(data, row, region.complex, static_cast<float>(factor));
  } else {
    multiply_row(data, row, region.complex, factor);
  }
}

/// Where row number `row` begins.
char* row_at(const Region& region, std::int64_t row) {
  char* data = region.data;
  for (std::size_t axis = region.axes.size() - 1; axis-- > 0;) {
    data += row % region.axes[axis].extent * region.axes[axis].stride;
    row /= region.axes[axis].extent;
  }
  return data;
}

/// Outermost first, forwards, and as few as describe the region.
void simplify(Region& region) {
  for (Region::Axis& axis : region.axes) {
    if (axis.stride >= 0) continue;
    region.data += (axis.extent - 1) * axis.stride;
    axis.stride = -axis.stride;
  }
  std::sort(region.axes.begin(), region.axes.end(), [](const auto& a, const auto& b) { return a.stride > b.stride; });
  std::vector<Region::Axis> merged;
  for (const Region::Axis& axis : region.axes) {
    if (axis.extent == 1) continue;
    if (!merged.empty() && merged.back().stride == axis.extent * axis.stride) {
      merged.back() = {merged.back().extent * axis.extent, axis.stride};
    } else {
      merged.push_back(axis);
    }
  }
  if (merged.empty()) merged.push_back({1, (region.single ? 4 : 8) * (region.complex ? 2 : 1)});
  region.axes = std::move(merged);
}

}  // namespace

void for_each_task(std::int64_t tasks, const Device& device, base::FunctionRef<void(std::int64_t)> work) {
#if KILN_HAVE_CPU
  if (tasks > 1) {
    return static_cast<backend::cpu::CpuBackend&>(backend::backend_for(device)).threads().parallel_for(tasks, work);
  }
#endif
  static_cast<void>(device);
  for (std::int64_t task = 0; task < tasks; ++task) work(task);
}

void multiply_reals(void* values, std::int64_t count, bool single, double factor) {
  if (single) {
    multiply_run(static_cast<float*>(values), count, static_cast<float>(factor));
  } else {
    multiply_run(static_cast<double*>(values), count, factor);
  }
}

void multiply(Region region, double factor, const Device& device) {
  simplify(region);
  const Region::Axis row = region.axes.back();
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < region.axes.size(); ++axis) rows *= region.axes[axis].extent;
  const std::int64_t item = (region.single ? 4 : 8) * (region.complex ? 2 : 1);
  if (rows == 1) {
    const std::int64_t most = kTaskBytes / item;
    return for_each_task((row.extent + most - 1) / most, device, [&](std::int64_t task) {
      const std::int64_t begin = task * most;
      multiply_row(region, region.data + begin * row.stride, {std::min(most, row.extent - begin), row.stride}, factor);
    });
  }
  const std::int64_t most = std::max<std::int64_t>(kTaskBytes / (row.extent * item), 1);
  for_each_task((rows + most - 1) / most, device, [&](std::int64_t task) {
    for (std::int64_t i = task * most; i < std::min(rows, (task + 1) * most); ++i) {
      multiply_row(region, row_at(region, i), row, factor);
    }
  });
}

}  // namespace kiln::fft

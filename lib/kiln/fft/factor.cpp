#include "fft/factor.hpp"

#include <algorithm>
#include <cstddef>

#include "base/have_cpu.hpp"
#include "device/backend.hpp"
#include "layout/axes.hpp"
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

std::int64_t item_bytes(const Region& region) {
  return (region.single ? 4 : 8) * (region.complex ? 2 : 1);
}

void multiply_row(const Region& region, char* data, const Region::Axis& row, double factor) {
  if (region.single) {
    multiply_row(data, row, region.complex, static_cast<float>(factor));
  } else {
    multiply_row(data, row, region.complex, factor);
  }
}

/// Outermost first, forwards, and as few as describe the region.
layout::Axes merged_axes(const Region& region) {
  layout::Axes axes(std::max<std::size_t>(region.axes.size(), 1), 1);
  for (const Region::Axis& axis : region.axes) axes.append(axis.extent, {axis.stride});
  axes.sort(layout::Axes::Sort::first_decides);
  axes.flip();
  axes.merge();
  if (axes.rank() > 0) return axes;
  axes.become_one(1);
  axes.stride(0, 0) = item_bytes(region);
  return axes;
}

/// Where row number `row` begins, counted from the first.
std::int64_t row_at(const layout::Axes& axes, std::int64_t row) {
  std::int64_t at = 0;
  for (std::size_t axis = axes.rank() - 1; axis-- > 0;) {
    at += row % axes.extent(axis) * axes.stride(0, axis);
    row /= axes.extent(axis);
  }
  return at;
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

void multiply(const Region& region, double factor, const Device& device) {
  const layout::Axes axes = merged_axes(region);
  char* const data = region.data + axes.offset(0);
  const std::size_t last = axes.rank() - 1;
  const Region::Axis row{axes.extent(last), axes.stride(0, last)};
  std::int64_t rows = 1;
  for (const std::int64_t extent : axes.extents().first(last)) rows *= extent;
  const std::int64_t item = item_bytes(region);
  if (rows == 1) {
    const std::int64_t most = kTaskBytes / item;
    return for_each_task((row.extent + most - 1) / most, device, [&](std::int64_t task) {
      const std::int64_t begin = task * most;
      multiply_row(region, data + begin * row.stride, {std::min(most, row.extent - begin), row.stride}, factor);
    });
  }
  const std::int64_t most = std::max<std::int64_t>(kTaskBytes / (row.extent * item), 1);
  for_each_task((rows + most - 1) / most, device, [&](std::int64_t task) {
    for (std::int64_t i = task * most; i < std::min(rows, (task + 1) * most); ++i) {
      multiply_row(region, data + row_at(axes, i), row, factor);
    }
  });
}

}  // namespace kiln::fft

// The walk over a CPU launch, with kernels written here: every layout must give what a loop over single elements gives.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "../base/sanitizer.hpp"
#include "kernel/elementwise/driver.hpp"

using namespace kiln::kinds;
using kiln::backend::kCpuBlock;

namespace {

constexpr CpuAccess kContiguous = CpuAccess::contiguous, kBroadcast = CpuAccess::broadcast, kStrided = CpuAccess::strided,
                    kScalar = CpuAccess::scalar;

// How the kernel is given an input: for each element, by row, or one value.
enum class Given { stream, rows, value };

template <class T, Given How>
T load(void* const* operands, std::size_t k, std::int64_t i, std::int64_t columns, std::int64_t first) {
  const auto* values = static_cast<const T*>(operands[k]);
  if constexpr (How != Given::rows) {
    return values[How == Given::stream ? i : 0];
  }
  // The lanes of the row that this part of a block begins in; those behind the row's end have the lanes of the next.
  const std::int64_t begin = first + i / kCpuRowLanes * kCpuRowLanes;
  const std::int64_t left = columns - begin % columns;
  return values[begin / columns * kCpuRowLanes + (left < kCpuRowLanes ? kCpuRowLanes - left : 0) + i % kCpuRowLanes];
}

// out(float64) = 2 * a(int16) + b(float32). The driver gives whole blocks.
template <Given A, Given B>
void blocks(void* const* operands, std::int64_t count, std::int64_t columns, std::int64_t first) {
  CHECK(columns >= kCpuRowLanes);
  auto* out = static_cast<double*>(operands[2]);
  for (std::int64_t i = 0; i < count * kCpuBlock; ++i) {
    out[i] = 2.0 * load<std::int16_t, A>(operands, 0, i, columns, first) +
             static_cast<double>(load<float, B>(operands, 1, i, columns, first));
  }
}

template <Given A>
auto kernel_for(Given b) {
  return b == Given::stream ? blocks<A, Given::stream> : b == Given::rows ? blocks<A, Given::rows> : blocks<A, Given::value>;
}

struct Layout {
  std::vector<std::int64_t> shape;
  CpuAccess access[3];
  std::vector<std::int64_t> elements[3];  // strides, in elements
  bool past_cache = false;
};

template <class T>
struct Memory {
  Memory(const Layout& layout, std::size_t operand, std::mt19937& random) : strides(layout.elements[operand]) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (std::size_t d = 0; d < strides.size(); ++d) {
      const std::int64_t reach = strides[d] * (layout.shape[d] - 1);
      (reach < 0 ? low : high) += reach;
    }
    values.resize(static_cast<std::size_t>(high - low) + 64);
    for (T& value : values) {
      value = static_cast<T>(random() % 100);
    }
    // Past-cache outputs begin at a line.
    std::size_t first = 0;
    while (reinterpret_cast<std::uintptr_t>(values.data() + first) % 64 != 0) {
      ++first;
    }
    origin = static_cast<std::int64_t>(first) - low;
  }
  T& at(std::int64_t offset) { return values[static_cast<std::size_t>(origin + offset)]; }
  std::vector<std::int64_t> strides;
  std::vector<T> values;
  std::int64_t origin = 0;
};

void check(const Layout& layout, std::int64_t begin, std::int64_t end, std::mt19937& random) {
  Memory<std::int16_t> a(layout, 0, random);
  Memory<float> b(layout, 1, random);
  Memory<double> out(layout, 2, random);
  std::vector<double> expected = out.values;
  for (std::int64_t flat = begin; flat < end; ++flat) {
    std::int64_t rest = flat;
    std::int64_t offset[3] = {0, 0, 0};
    for (std::size_t d = layout.shape.size(); d-- > 0;) {
      for (std::size_t k = 0; k < 3; ++k) {
        offset[k] += rest % layout.shape[d] * layout.elements[k][d];
      }
      rest /= layout.shape[d];
    }
    expected[static_cast<std::size_t>(out.origin + offset[2])] = 2.0 * a.at(offset[0]) + static_cast<double>(b.at(offset[1]));
  }
  const std::size_t rank = layout.shape.size();
  std::vector<std::int64_t> strides;
  const std::int64_t itemsizes[3] = {2, 4, 8};
  for (std::size_t k = 0; k < 3; ++k) {
    for (const std::int64_t stride : layout.elements[k]) {
      strides.push_back(stride * itemsizes[k]);
    }
  }
  void* const data[3] = {&a.at(0), &b.at(0), &out.at(0)};
  const std::uint8_t itemsize[3] = {2, 4, 8};
  const auto given = [&](std::size_t k) {
    const CpuAccess access = layout.access[k];
    return access == kScalar || (access == kBroadcast && rank == 1) ? Given::value
           : access == kBroadcast                                   ? Given::rows
                                                                    : Given::stream;
  };
  const CpuKernelParts kernel{.blocks = given(0) == Given::stream ? kernel_for<Given::stream>(given(1))
                                        : given(0) == Given::rows ? kernel_for<Given::rows>(given(1))
                                                                  : kernel_for<Given::value>(given(1)),
                              .inputs = 2,
                              .outputs = 1,
                              .access = layout.access,
                              .itemsize = itemsize};
  CpuLaunch launch{.data = data,
                   .shape = layout.shape.data(),
                   .strides = strides.data(),
                   .rank = static_cast<std::int64_t>(rank),
                   .drive = drive_cpu_kernel,
                   .past_cache = layout.past_cache};
  launch.drive(&launch, begin, end, &kernel);
  CHECK(out.values == expected);
}

}  // namespace

TEST_CASE("one dimension: any length, any cut, any access") {
  std::mt19937 random(1);
  for (const std::int64_t n : {1, 2, 63, 64, 65, 127, 128, 1000, 5003}) {
    for (const CpuAccess b : {kContiguous, kBroadcast, kStrided, kScalar}) {
      for (const std::int64_t out : {1, 3, -2}) {
        CAPTURE(n);
        const bool unit = out == 1;
        Layout layout{{n}, {n % 2 == 0 ? kContiguous : kStrided, b, unit ? kContiguous : kStrided}, {}, false};
        layout.elements[0] = {n % 2 == 0 ? 1 : -1};
        layout.elements[1] = {b == kContiguous ? 1 : b == kStrided ? 2 : 0};
        layout.elements[2] = {out};
        check(layout, 0, n, random);
        check(layout, n / 3 / 64 * 64, n - n / 7, random);
        if (unit) {
          layout.past_cache = true;
          check(layout, 0, n, random);
          check(layout, n / 2 / 64 * 64, n, random);
        }
      }
    }
  }
}

TEST_CASE("several dimensions: long and short rows, strides of any sign, rows that go on in memory") {
  std::mt19937 random(2);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < kiln::test::rounds(400); ++round) {
    const std::size_t rank = static_cast<std::size_t>(2 + below(4));
    Layout layout;
    for (std::size_t d = 0; d < rank; ++d) {
      layout.shape.push_back(1 + below(d + 1 < rank ? (rank > 3 ? 4 : 9) : round % 3 == 0 ? 5 : round % 3 == 1 ? 150 : 1500));
    }
    for (std::size_t k = 0; k < 3; ++k) {
      layout.access[k] = static_cast<CpuAccess>(k == 2 ? 2 * below(2) : below(3));
      const std::int64_t inner = layout.access[k] == kContiguous  ? 1
                                 : layout.access[k] == kBroadcast ? 0
                                 : below(2) == 0                  ? 2
                                                                  : -1;
      std::vector<std::int64_t>& strides = layout.elements[k];
      strides.assign(rank, inner);
      std::int64_t next = std::max<std::int64_t>(1, std::abs(inner)) * layout.shape[rank - 1];
      for (std::size_t d = rank - 1; d-- > 0;) {
        const bool repeated = k < 2 && below(4) == 0;
        const std::int64_t step = next + (below(3) == 0 ? below(5) : 0);
        strides[d] = repeated ? 0 : below(5) == 0 ? -step : step;
        next = repeated ? next : step * layout.shape[d];
      }
    }
    std::int64_t size = 1;
    for (const std::int64_t extent : layout.shape) {
      size *= extent;
    }
    CAPTURE(round);
    const std::int64_t begin = below(size / kCpuBlock + 1) * kCpuBlock;
    check(layout, 0, size, random);
    if (begin < size) {
      check(layout, begin, begin + 1 + below(size - begin), random);
    }
  }
}

namespace {

enum class Places { rows, columns, every_other, row_values, column_values };

/// Strides, in elements, of one operand over planes of rows, its axes in that order in memory, some of them backwards.
std::vector<std::int64_t> strides_in(Places order, const std::vector<std::int64_t>& shape, std::int64_t padding,
                                     unsigned signs) {
  const std::int64_t rows = shape[1];
  const std::int64_t columns = shape[2];
  std::vector<std::int64_t> strides;
  switch (order) {
    case Places::rows:
      strides = {rows * (columns + padding), columns + padding, 1};
      break;
    case Places::columns:
      strides = {columns * (rows + padding), 1, rows + padding};
      break;
    case Places::every_other:
      strides = {columns * (2 * rows + padding), 2, 2 * rows + padding};
      break;
    case Places::row_values:
      strides = {rows, 1, 0};
      break;
    case Places::column_values:
      strides = {0, 0, 1};
      break;
  }
  for (std::size_t d = 0; d < 2; ++d) strides[d] *= (signs >> d & 1) != 0 ? -1 : 1;
  if (std::abs(strides[2]) > 1 && (signs & 4) != 0) strides[2] *= -1;
  return strides;
}

CpuAccess access_of(std::int64_t innermost) {
  return innermost == 1 ? kContiguous : innermost == 0 ? kBroadcast : kStrided;
}

}  // namespace

TEST_CASE("planes: transposed, padded and broadcast operands, tiles and rows of any size, forwards and backwards") {
  std::mt19937 random(6);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < kiln::test::rounds(300); ++round) {
    const std::int64_t wide[] = {3, 40, 130, 800, 5000};
    Layout layout;
    layout.shape = {1 + below(3), 1 + below(round % 2 == 0 ? 6 : 70), 1 + below(wide[round % 5])};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto order = static_cast<Places>(below(k == 2 ? 3 : 5));
      const std::int64_t padding = below(2) == 0 ? 0 : below(5);
      layout.elements[k] = strides_in(order, layout.shape, padding, below(2) == 0 ? 0 : static_cast<unsigned>(below(8)));
      layout.access[k] = access_of(layout.elements[k][2]);
    }
    const std::int64_t size = layout.shape[0] * layout.shape[1] * layout.shape[2];
    const std::int64_t begin = below(size / kCpuBlock + 1) * kCpuBlock;
    CAPTURE(round);
    check(layout, 0, size, random);
    if (begin < size) check(layout, begin, begin + 1 + below(size - begin), random);
  }
}

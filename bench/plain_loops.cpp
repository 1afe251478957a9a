// Compiled by clang++ with the flags of kiln's CPU kernels (see CMakeLists.txt), so that a ratio compares loops, not compilers.
#include "plain_loops.hpp"

#include <cmath>

namespace {

struct Complex {
  float re, im;
};

// Each loop is one expression over i, written out twice: plainly, and through a buffer that is stored past the cache in whole
// cache lines (a scalar non-temporal store in the loop would keep it from being vectorized).
constexpr std::int64_t kBuffer = 4096;
using Line = std::uint32_t __attribute__((vector_size(64)));

template <class T, class F>
inline __attribute__((always_inline)) void plain(T* __restrict out, std::int64_t n, F f) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = f(i);
}

template <class T, class F>
inline __attribute__((always_inline)) void past_the_cache(T* __restrict out, std::int64_t n, F f) {
  constexpr std::int64_t block = kBuffer / static_cast<std::int64_t>(sizeof(T));
  alignas(64) T buffer[block];
  std::int64_t i = 0;
  for (; i + block <= n; i += block) {
    for (std::int64_t k = 0; k < block; ++k) buffer[k] = f(i + k);
    const Line* from = reinterpret_cast<const Line*>(buffer);
    Line* to = reinterpret_cast<Line*>(out + i);
    for (std::int64_t k = 0; k < kBuffer / 64; ++k) __builtin_nontemporal_store(from[k], to + k);
  }
  for (; i < n; ++i) out[i] = f(i);
}

}  // namespace

#define IN(T, k) static_cast<const T*>(in[k])
#define BOTH(name, T, ...)                                                                                       \
  extern "C" void plain_##name(const void* const* in, const float* scalars, void* result, std::int64_t n) {      \
    (void)scalars;                                                                                               \
    T* __restrict out = static_cast<T*>(result);                                                                 \
    __VA_ARGS__                                                                                                  \
    plain(out, n, f);                                                                                            \
  }                                                                                                              \
  extern "C" void plain_##name##_nt(const void* const* in, const float* scalars, void* result, std::int64_t n) { \
    (void)scalars;                                                                                               \
    T* __restrict out = static_cast<T*>(result);                                                                 \
    __VA_ARGS__                                                                                                  \
    past_the_cache(out, n, f);                                                                                   \
  }

BOTH(
    saxpy, float, const float* __restrict x = IN(float, 0); const float* __restrict y = IN(float, 1);
    const float a = scalars[0]; auto f = [=](std::int64_t i) __attribute__((always_inline)) { return a * x[i] + y[i]; };)

BOTH(
    discriminant, float, const float* __restrict a = IN(float, 0); const float* __restrict b = IN(float, 1);
    const float* __restrict c = IN(float, 2);
    auto f = [=](std::int64_t i) __attribute__((always_inline)) { return std::sqrt(b[i] * b[i] - 4.0f * a[i] * c[i]); };)

BOTH(
    gaussian, float, const float* __restrict x = IN(float, 0); const float mean = scalars[0]; const float sigma = scalars[1];
    auto f = [=](std::int64_t i) __attribute__((always_inline)) {
      const float z = (x[i] - mean) / sigma;
      return std::exp(-0.5f * z * z) / (sigma * 2.5066282746f);
    };)

BOTH(
    polar, float, const float* __restrict r1 = IN(float, 0); const float* __restrict t1 = IN(float, 1);
    const float* __restrict r2 = IN(float, 2); const float* __restrict t2 = IN(float, 3);
    auto f = [=](std::int64_t i) __attribute__((always_inline)) {
      const float dx = r1[i] * std::cos(t1[i]) - r2[i] * std::cos(t2[i]);
      const float dy = r1[i] * std::sin(t1[i]) - r2[i] * std::sin(t2[i]);
      return std::sqrt(dx * dx + dy * dy);
    };)

BOTH(
    complex_multiply, Complex, const Complex* __restrict a = IN(Complex, 0); const Complex* __restrict b = IN(Complex, 1);
    auto f = [=](std::int64_t i) __attribute__((always_inline)) {
      return Complex{a[i].re * b[i].re - a[i].im * b[i].im, a[i].re * b[i].im + a[i].im * b[i].re};
    };)

extern "C" void plain_strided_add(const void* const* in, const float*, void* result, std::int64_t n) {
  const float* __restrict a = IN(float, 0);
  const float* __restrict b = IN(float, 1);
  float* __restrict out = static_cast<float*>(result);
  for (std::int64_t i = 0; i < n; ++i) out[i] = a[2 * i] + b[i];
}

extern "C" void plain_transposed_add(const float* __restrict a, const float* __restrict b, float* __restrict out,
                                     std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) out[i * columns + j] = a[j * rows + i] + b[i * columns + j];
  }
}

extern "C" void plain_column_add(const float* __restrict a, const float* __restrict b, float* __restrict out, std::int64_t rows,
                                 std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const float column = a[i];
    for (std::int64_t j = 0; j < columns; ++j) out[i * columns + j] = column + b[i * columns + j];
  }
}

extern "C" void plain_row_add(const float* __restrict a, const float* __restrict b, float* __restrict out, std::int64_t rows,
                              std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) out[i * columns + j] = a[j] + b[i * columns + j];
  }
}

extern "C" std::uint32_t plain_read(const float* a, std::int64_t n) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += __builtin_bit_cast(std::uint32_t, a[i]);
  return sum;
}

extern "C" void plain_matmul(const float* __restrict a, const float* __restrict b, float* __restrict c, std::int64_t items,
                             std::int64_t side) {
  for (std::int64_t x = 0; x < items; ++x, a += side * side, b += side * side, c += side * side) {
    for (std::int64_t i = 0; i < side; ++i) {
      for (std::int64_t j = 0; j < side; ++j) {
        float sum = 0;
        for (std::int64_t k = 0; k < side; ++k) sum += a[i * side + k] * b[k * side + j];
        c[i * side + j] = sum;
      }
    }
  }
}

extern "C" void plain_inner(const float* __restrict a, const float* __restrict b, float* __restrict c, std::int64_t items,
                            std::int64_t n) {
  for (std::int64_t x = 0; x < items; ++x) {
    float sum = 0;
    for (std::int64_t k = 0; k < n; ++k) sum += a[x * n + k] * b[x * n + k];
    c[x] = sum;
  }
}

extern "C" void plain_running_sum(const float* __restrict a, float* __restrict c, std::int64_t items, std::int64_t n) {
  for (std::int64_t x = 0; x < items; ++x) {
    float sum = 0;
    for (std::int64_t k = 0; k < n; ++k) c[x * n + k] = sum += a[x * n + k];
  }
}

// Lanes by hand: nothing here may reorder floating sums. What fills no row is left out, a few elements of 262144.
extern "C" double plain_mean_var(const float* a, std::int64_t n) {
  constexpr int kLanes = 32;
  double sum[kLanes] = {};
  double square[kLanes] = {};
  const double shift = a[0];
  for (std::int64_t i = 0; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      const double d = a[i + k] - shift;
      sum[k] += d;
      square[k] += d * d;
    }
  }
  for (int k = 1; k < kLanes; ++k) {
    sum[0] += sum[k];
    square[0] += square[k];
  }
  const double count = static_cast<double>(n);
  return (square[0] - sum[0] * sum[0] / count) / count;
}

extern "C" std::int64_t plain_argmax(const float* a, std::int64_t n) {
  constexpr int kLanes = 64;
  float best[kLanes];
  std::int32_t row[kLanes] = {};
  for (int k = 0; k < kLanes; ++k) best[k] = a[k];
  for (std::int64_t i = kLanes; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      const bool better = a[i + k] > best[k];
      best[k] = better ? a[i + k] : best[k];
      row[k] = better ? static_cast<std::int32_t>(i / kLanes) : row[k];
    }
  }
  std::int64_t place = std::int64_t{row[0]} * kLanes;
  float largest = best[0];
  for (int k = 1; k < kLanes; ++k) {
    const std::int64_t at = std::int64_t{row[k]} * kLanes + k;
    if (best[k] < largest || (best[k] == largest && at > place)) continue;
    largest = best[k];
    place = at;
  }
  return place;
}

extern "C" float plain_square_sum(const float* a, std::int64_t n) {
  constexpr int kLanes = 64;
  float sum[kLanes] = {};
  for (std::int64_t i = 0; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) sum[k] += a[i + k] * a[i + k];
  }
  for (int k = 1; k < kLanes; ++k) sum[0] += sum[k];
  return sum[0];
}

extern "C" void plain_gather(const std::int32_t* k, const float* table, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = table[k[i]];
}

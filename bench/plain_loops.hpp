// The loops that kiln is measured against: written by hand in plain C++, one thread, compiled by clang with the flags of kiln's
// own CPU kernels. The _nt ones store past the cache.
#pragma once

#include <cstdint>

namespace kiln::bench {

/// Inputs, scalars, output, elements.
using PlainLoop = void (*)(const void* const* in, const float* scalars, void* out, std::int64_t n);

extern "C" {
void plain_saxpy(const void* const* in, const float* scalars, void* out, std::int64_t n);
void plain_discriminant(const void* const* in, const float* scalars, void* out, std::int64_t n);
void plain_gaussian(const void* const* in, const float* scalars, void* out, std::int64_t n);
void plain_polar(const void* const* in, const float* scalars, void* out, std::int64_t n);
void plain_complex_multiply(const void* const* in, const float* scalars, void* out, std::int64_t n);
void plain_strided_add(const void* const* in, const float* scalars, void* out, std::int64_t n);

void plain_saxpy_nt(const void* const* in, const float* scalars, void* out, std::int64_t n);
void plain_discriminant_nt(const void* const* in, const float* scalars, void* out, std::int64_t n);
void plain_gaussian_nt(const void* const* in, const float* scalars, void* out, std::int64_t n);
void plain_polar_nt(const void* const* in, const float* scalars, void* out, std::int64_t n);
void plain_complex_multiply_nt(const void* const* in, const float* scalars, void* out, std::int64_t n);

/// out[i][j] = a[j][i] + b[i][j] over rows × columns, in the order of out.
void plain_transposed_add(const float* a, const float* b, float* out, std::int64_t rows, std::int64_t columns);
/// out[i][j] = a[j] + b[i][j].
void plain_row_add(const float* a, const float* b, float* out, std::int64_t rows, std::int64_t columns);
/// out[i][j] = a[i] + b[i][j].
void plain_column_add(const float* a, const float* b, float* out, std::int64_t rows, std::int64_t columns);
/// Reads, and does as little as can be with what it has read.
std::uint32_t plain_read(const float* a, std::int64_t n);

/// c[x] = a[x] b[x] for `items` square matrices, in the order in which one writes it.
void plain_matmul(const float* a, const float* b, float* c, std::int64_t items, std::int64_t side);
/// c[x] = the sum of a[x][k] * b[x][k].
void plain_inner(const float* a, const float* b, float* c, std::int64_t items, std::int64_t n);
/// The running sums of rows.
void plain_running_sum(const float* a, float* c, std::int64_t items, std::int64_t n);
/// The variance, from sums of differences from the first element.
double plain_mean_var(const float* a, std::int64_t n);
/// The place of the first largest element.
std::int64_t plain_argmax(const float* a, std::int64_t n);
float plain_square_sum(const float* a, std::int64_t n);
/// y[i] = table[k[i]].
void plain_gather(const std::int32_t* k, const float* table, float* y, std::int64_t n);
}

}  // namespace kiln::bench

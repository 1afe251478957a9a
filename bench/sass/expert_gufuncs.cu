// Rows, small products, and what raw kernels do.
#include "expert.cuh"

// A warp for a row of 1024, which stays in registers: one read, one write.
KERNEL(256) softmax(uint32_t rows, const float4* __restrict__ x, float4* __restrict__ y) {
  const uint32_t row = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (row >= rows) return;
  const float4* p = x + size_t(row) * 256 + lane;
  float4 v[8];
#pragma unroll
  for (int u = 0; u < 8; ++u) v[u] = __ldcs(p + u * 32);
  float m = -INFINITY;
#pragma unroll
  for (int u = 0; u < 8; ++u) m = fmaxf(m, fmaxf(fmaxf(v[u].x, v[u].y), fmaxf(v[u].z, v[u].w)));
  m = warp_all(m, most());
  float s = 0;
#pragma unroll
  for (int u = 0; u < 8; ++u) {
    v[u] = make_float4(__expf(v[u].x - m), __expf(v[u].y - m), __expf(v[u].z - m), __expf(v[u].w - m));
    s += (v[u].x + v[u].y) + (v[u].z + v[u].w);
  }
  s = 1 / warp_all(s, plus());
  float4* o = y + size_t(row) * 256 + lane;
#pragma unroll
  for (int u = 0; u < 8; ++u) __stcs(o + u * 32, make_float4(v[u].x * s, v[u].y * s, v[u].z * s, v[u].w * s));
}
// 8 x 8: 16 threads for a product, each 4 outputs of a row; A by broadcast, B a row of 4 at a time.
KERNEL(256) matmul8(uint32_t items, const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c) {
  const uint32_t t = blockIdx.x * 256 + threadIdx.x, item = t >> 4, i = (t >> 1) & 7, j = t & 1;
  if (item >= items) return;
  const float4 lo = a[item * 16 + i * 2], hi = a[item * 16 + i * 2 + 1];
  float4 r[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) r[k] = b[item * 16 + k * 2 + j];
  const float l[8] = {lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w};
  float4 s = {};
#pragma unroll
  for (int k = 0; k < 8; ++k) { s.x += l[k] * r[k].x; s.y += l[k] * r[k].y; s.z += l[k] * r[k].z; s.w += l[k] * r[k].w; }
  __stcs(c + item * 16 + i * 2 + j, s);
}
// 64 x 64: a block for a product, both factors in shared memory, 4 x 4 outputs for each of 256 threads.
KERNEL(256) matmul64(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c) {
  __shared__ float at[64][68], bs[64][64];
  const uint32_t t = threadIdx.x;
  const size_t base = size_t(blockIdx.x) * 1024;
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    const uint32_t q = t + u * 256, row = q >> 4, col = (q & 15) * 4;
    const float4 v = __ldcs(a + base + q), w = __ldcs(b + base + q);
    at[col][row] = v.x; at[col + 1][row] = v.y; at[col + 2][row] = v.z; at[col + 3][row] = v.w;
    *reinterpret_cast<float4*>(&bs[row][col]) = w;
  }
  __syncthreads();
  const uint32_t i = (t >> 4) * 4, j = (t & 15) * 4;
  float4 s[4] = {};
#pragma unroll 8
  for (int k = 0; k < 64; ++k) {
    const float4 v = *reinterpret_cast<const float4*>(&at[k][i]), w = *reinterpret_cast<const float4*>(&bs[k][j]);
    s[0].x += v.x * w.x; s[0].y += v.x * w.y; s[0].z += v.x * w.z; s[0].w += v.x * w.w;
    s[1].x += v.y * w.x; s[1].y += v.y * w.y; s[1].z += v.y * w.z; s[1].w += v.y * w.w;
    s[2].x += v.z * w.x; s[2].y += v.z * w.y; s[2].z += v.z * w.z; s[2].w += v.z * w.w;
    s[3].x += v.w * w.x; s[3].y += v.w * w.y; s[3].z += v.w * w.z; s[3].w += v.w * w.w;
  }
#pragma unroll
  for (int u = 0; u < 4; ++u) __stcs(c + base + (i + u) * 16 + j / 4, s[u]);
}
// A warp for a product of rows of 1024.
KERNEL(256) inner(uint32_t rows, const float4* __restrict__ a, const float4* __restrict__ b, float* __restrict__ out) {
  const uint32_t row = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (row >= rows) return;
  const float4 *p = a + size_t(row) * 256 + lane, *q = b + size_t(row) * 256 + lane;
  float s[4] = {};
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float4 v[4], w[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) { v[u] = __ldcs(p + (h * 4 + u) * 32); w[u] = __ldcs(q + (h * 4 + u) * 32); }
#pragma unroll
    for (int u = 0; u < 4; ++u) { s[0] += v[u].x * w[u].x; s[1] += v[u].y * w[u].y; s[2] += v[u].z * w[u].z; s[3] += v[u].w * w[u].w; }
  }
  const float all = warp_all((s[0] + s[1]) + (s[2] + s[3]), plus());
  if (lane == 0) out[row] = all;
}
// 3 x 3: a warp goes down 8 rows, 128 columns wide; each row is read once, its neighbours by shuffles.
KERNEL(256) stencil(uint32_t rows, uint32_t columns, const float* __restrict__ x, float* __restrict__ y, float c, float e, float d) {
  const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const uint32_t j = blockIdx.x * 128 + lane * 4, i0 = (blockIdx.y * 8 + warp) * 8;
  if (j >= columns) return;
  float v[3][6];
  auto read = [&](uint32_t i, float (&to)[6]) {
    const bool in = i < rows;
    const float4 m = in ? *reinterpret_cast<const float4*>(x + i * columns + j) : float4{};
    const float l = __shfl_up_sync(~0u, m.w, 1), r = __shfl_down_sync(~0u, m.x, 1);
    to[0] = lane > 0 ? l : in && j > 0 ? x[i * columns + j - 1] : 0;
    to[1] = m.x; to[2] = m.y; to[3] = m.z; to[4] = m.w;
    to[5] = lane < 31 ? r : in && j + 4 < columns ? x[i * columns + j + 4] : 0;
  };
  read(i0 - 1, v[0]);
  read(i0, v[1]);
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    read(i0 + k + 1, v[(k + 2) % 3]);
    const float(&a)[6] = v[k % 3], (&b)[6] = v[(k + 1) % 3], (&g)[6] = v[(k + 2) % 3];
    float o[4];
#pragma unroll
    for (int q = 0; q < 4; ++q) o[q] = c * b[q + 1] + e * (a[q + 1] + g[q + 1] + b[q] + b[q + 2]) + d * (a[q] + a[q + 2] + g[q] + g[q + 2]);
    if (i0 + k < rows) *reinterpret_cast<float4*>(y + (i0 + k) * columns + j) = make_float4(o[0], o[1], o[2], o[3]);
  }
}
KERNEL(256) transpose(uint32_t rows, uint32_t columns, const float* __restrict__ a, float* __restrict__ r) {
  __shared__ float tile[32][33];
  const uint32_t x = threadIdx.x & 31, y = threadIdx.x >> 5, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
  float t[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) t[k] = __ldcs(a + (i0 + y + k * 8) * columns + j0 + x);
#pragma unroll
  for (int k = 0; k < 4; ++k) tile[y + k * 8][x] = t[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; ++k) __stcs(r + (j0 + y + k * 8) * rows + i0 + x, tile[x][y + k * 8]);
}
// 16 samples of one load; counts of each pair of warps apart.
KERNEL(512) histogram(uint32_t n16, const uint4* __restrict__ x, unsigned long long* __restrict__ bins) {
  __shared__ uint32_t own[8][257];
  for (uint32_t i = threadIdx.x; i < 8 * 257; i += 512) (&own[0][0])[i] = 0;
  __syncthreads();
  uint32_t* mine = own[threadIdx.x >> 6];
  const uint32_t step = gridDim.x * 512;
  for (uint32_t i = blockIdx.x * 512 + threadIdx.x; i < n16; i += 2 * step) {
    uint4 v[2];
    v[0] = __ldcs(x + i);
    const bool two = i + step < n16;
    if (two) v[1] = __ldcs(x + i + step);
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      if (u == 1 && !two) break;
      const uint32_t w[4] = {v[u].x, v[u].y, v[u].z, v[u].w};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        atomicAdd(mine + (w[k] & 0xff), 1);
        atomicAdd(mine + (w[k] >> 8 & 0xff), 1);
        atomicAdd(mine + (w[k] >> 16 & 0xff), 1);
        atomicAdd(mine + (w[k] >> 24), 1);
      }
    }
  }
  __syncthreads();
  for (uint32_t b = threadIdx.x; b < 256; b += 512) {
    uint32_t s = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) s += own[k][b];
    atomicAdd(bins + b, static_cast<unsigned long long>(s));
  }
}


// Reductions, running sums and additions at indices.
#include "expert.cuh"

// As many blocks as fit; 4 packs in flight while 4 are added; the last block adds the sums of all in order.
KERNEL(512) sum_all(uint32_t n4, const float4* __restrict__ x, float* __restrict__ parts, unsigned* done, float* out) {
  const uint32_t step = gridDim.x * 512u;
  uint32_t i = blockIdx.x * 512u + threadIdx.x;
  float s[4] = {};
  for (; i + 3 * step < n4; i += 4 * step) {
    float4 v[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) v[u] = __ldcs(x + i + u * step);
#pragma unroll
    for (int u = 0; u < 4; ++u) { s[0] += v[u].x; s[1] += v[u].y; s[2] += v[u].z; s[3] += v[u].w; }
  }
  for (; i < n4; i += step) { const float4 v = x[i]; s[0] += v.x; s[1] += v.y; s[2] += v.z; s[3] += v.w; }
  float all = block_all<16>((s[0] + s[1]) + (s[2] + s[3]), plus());
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = all;
    __threadfence();
    last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  float total = 0;
  for (uint32_t b = threadIdx.x; b < gridDim.x; b += 512) total += __ldcg(parts + b);
  __syncthreads();
  total = block_all<16>(total, plus());
  if (threadIdx.x == 0) *out = total;
}
// 128 columns for a block of 8 warps; 8 rows in flight.
KERNEL(256) sum_axis0(uint32_t rows, uint32_t columns4, uint32_t rows_of_part, const float4* __restrict__ x, float4* __restrict__ parts) {
  __shared__ float4 cells[8][32];
  const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5, j = blockIdx.x * 32 + lane;
  const uint32_t begin = blockIdx.y * rows_of_part, end = min(begin + rows_of_part, rows);
  float4 s = {};
  if (j < columns4) {
    const float4* p = x + size_t(begin + warp) * columns4 + j;
    const size_t step = size_t(8) * columns4;
    uint32_t i = begin + warp;
    for (; i + 56 < end; i += 64, p += 8 * step) {
      float4 v[8];
#pragma unroll
      for (int u = 0; u < 8; ++u) v[u] = __ldcs(p + u * step);
#pragma unroll
      for (int u = 0; u < 8; ++u) { s.x += v[u].x; s.y += v[u].y; s.z += v[u].z; s.w += v[u].w; }
    }
    for (; i < end; i += 8, p += step) { const float4 v = *p; s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w; }
  }
  cells[warp][lane] = s;
  __syncthreads();
  if (warp == 0 && j < columns4) {
#pragma unroll
    for (int w = 1; w < 8; ++w) { const float4 v = cells[w][lane]; s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w; }
    parts[blockIdx.y * columns4 + j] = s;
  }
}
// A block for a row.
KERNEL(256) sum_axis1(uint32_t columns4, const float4* __restrict__ x, float* __restrict__ out) {
  const float4* row = x + size_t(blockIdx.x) * columns4;
  float s[4] = {};
  uint32_t i = threadIdx.x;
  for (; i + 3 * 256 < columns4; i += 4 * 256) {
    float4 v[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) v[u] = __ldcs(row + i + u * 256);
#pragma unroll
    for (int u = 0; u < 4; ++u) { s[0] += v[u].x; s[1] += v[u].y; s[2] += v[u].z; s[3] += v[u].w; }
  }
  for (; i < columns4; i += 256) { const float4 v = row[i]; s[0] += v.x; s[1] += v.y; s[2] += v.z; s[3] += v.w; }
  const float all = block_all<8>((s[0] + s[1]) + (s[2] + s[3]), plus());
  if (threadIdx.x == 0) out[blockIdx.x] = all;
}
struct best { float x; uint32_t at; };
// Places are 32 bits in the loop; the greatest of 4 rows of packs first.
KERNEL(512) argmax(uint32_t n4, const float4* __restrict__ x, unsigned long long* __restrict__ parts) {
  const uint32_t step = gridDim.x * 512u;
  uint32_t i = blockIdx.x * 512u + threadIdx.x;
  float most = -INFINITY;
  uint32_t at = 0;
  for (; i + 3 * step < n4; i += 4 * step) {
    float4 v[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) v[u] = __ldcs(x + i + u * step);
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const float m = fmaxf(fmaxf(v[u].x, v[u].y), fmaxf(v[u].z, v[u].w));
      if (m > most) { most = m; at = i + u * step; }
    }
  }
  // Which of the 4 is looked up once, at the end.
  const float4 v = x[at];
  const uint32_t which = v.x == most ? 0 : v.y == most ? 1 : v.z == most ? 2 : 3;
  const uint32_t bits = __float_as_uint(most), order = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  unsigned long long key = (static_cast<unsigned long long>(order) << 32) | ~(4 * at + which);
  key = block_all<16>(key, [](unsigned long long a, unsigned long long b) { return a > b ? a : b; });
  if (threadIdx.x == 0) parts[blockIdx.x] = key;
}
// Running sums whose grouping follows from the length alone (kiln's promise, which a decoupled look-back does not keep): totals of chunks of 4096, one
// for a warp; then each warp goes through its chunk with 4 packs in flight and a scan by shuffles. The input is read twice.
KERNEL(256) scan_totals(uint32_t chunks, const float4* __restrict__ x, float* __restrict__ totals) {
  const uint32_t chunk = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (chunk >= chunks) return;
  const float4* p = x + size_t(chunk) * 1024 + lane;
  float s[4] = {};
#pragma unroll 1
  for (int h = 0; h < 8; ++h, p += 128) {
    float4 v[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) v[u] = p[u * 32];
#pragma unroll
    for (int u = 0; u < 4; ++u) { s[0] += v[u].x; s[1] += v[u].y; s[2] += v[u].z; s[3] += v[u].w; }
  }
  const float all = warp_all((s[0] + s[1]) + (s[2] + s[3]), plus());
  if (lane == 0) totals[chunk] = all;
}
KERNEL(256) cumsum(uint32_t chunks, const float4* __restrict__ x, const float* __restrict__ before, float4* __restrict__ y) {
  const uint32_t chunk = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (chunk >= chunks) return;
  const float4* p = x + size_t(chunk) * 1024 + lane;
  float4* q = y + size_t(chunk) * 1024 + lane;
  float carry = chunk > 0 ? before[chunk - 1] : 0;
#pragma unroll 1
  for (int h = 0; h < 8; ++h, p += 128, q += 128) {
    float4 v[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) v[u] = __ldcs(p + u * 32);
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      v[u].y += v[u].x; v[u].z += v[u].y; v[u].w += v[u].z;
      float s = v[u].w;
#pragma unroll
      for (int d = 1; d < 32; d *= 2) {
        const float o = __shfl_up_sync(~0u, s, d);
        if (lane >= d) s += o;
      }
      float e = __shfl_up_sync(~0u, s, 1);
      e = lane > 0 ? carry + e : carry;
      carry += __shfl_sync(~0u, s, 31);
      __stcs(q + u * 32, make_float4(v[u].x + e, v[u].y + e, v[u].z + e, v[u].w + e));
    }
  }
}
// add.at: two indices for a thread; RED, nothing comes back.
KERNEL(256) at(uint32_t n, const longlong2* __restrict__ places, float value, float* __restrict__ target, long long extent) {
  const uint32_t i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n / 2) return;
  const longlong2 p = __ldcs(places + i);
  atomicAdd(target + (p.x < 0 ? p.x + extent : p.x), value);
  atomicAdd(target + (p.y < 0 ? p.y + extent : p.y), value);
}

// Elementwise kernels.
#include "expert.cuh"

// One tile of 256 * U packs of W elements for each block.
template <int U, int W, class R, class F, class A>
__device__ __forceinline__ void map1(uint32_t n, const A* __restrict__ a, R* __restrict__ r, F f) {
  const uint32_t base = blockIdx.x * (256u * U * W);
  if (base + 256u * U * W <= n) {
    pack<A, W> x[U];
#pragma unroll
    for (int u = 0; u < U; ++u) x[u] = load<A, W>(a + base + (u * 256 + threadIdx.x) * W);
#pragma unroll
    for (int u = 0; u < U; ++u) {
      pack<R, W> y;
#pragma unroll
      for (int k = 0; k < W; ++k) y.v[k] = f(x[u].v[k]);
      store<R, W>(r + base + (u * 256 + threadIdx.x) * W, y);
    }
  } else {
    for (uint32_t i = base + threadIdx.x; i < n; i += 256) r[i] = f(a[i]);
  }
}
template <int U, int W, class R, class F, class A, class B>
__device__ __forceinline__ void map2(uint32_t n, const A* __restrict__ a, const B* __restrict__ b, R* __restrict__ r, F f) {
  const uint32_t base = blockIdx.x * (256u * U * W);
  if (base + 256u * U * W <= n) {
    pack<A, W> x[U];
    pack<B, W> y[U];
#pragma unroll
    for (int u = 0; u < U; ++u) x[u] = load<A, W>(a + base + (u * 256 + threadIdx.x) * W);
#pragma unroll
    for (int u = 0; u < U; ++u) y[u] = load<B, W>(b + base + (u * 256 + threadIdx.x) * W);
#pragma unroll
    for (int u = 0; u < U; ++u) {
      pack<R, W> z;
#pragma unroll
      for (int k = 0; k < W; ++k) z.v[k] = f(x[u].v[k], y[u].v[k]);
      store<R, W>(r + base + (u * 256 + threadIdx.x) * W, z);
    }
  } else {
    for (uint32_t i = base + threadIdx.x; i < n; i += 256) r[i] = f(a[i], b[i]);
  }
}
template <int U, int W, class R, class F, class A>
__device__ __forceinline__ void map3(uint32_t n, const A* __restrict__ a, const A* __restrict__ b, const A* __restrict__ c, R* __restrict__ r, F f) {
  const uint32_t base = blockIdx.x * (256u * U * W);
  if (base + 256u * U * W <= n) {
    pack<A, W> x[U], y[U], z[U];
#pragma unroll
    for (int u = 0; u < U; ++u) x[u] = load<A, W>(a + base + (u * 256 + threadIdx.x) * W);
#pragma unroll
    for (int u = 0; u < U; ++u) y[u] = load<A, W>(b + base + (u * 256 + threadIdx.x) * W);
#pragma unroll
    for (int u = 0; u < U; ++u) z[u] = load<A, W>(c + base + (u * 256 + threadIdx.x) * W);
#pragma unroll
    for (int u = 0; u < U; ++u) {
      pack<R, W> o;
#pragma unroll
      for (int k = 0; k < W; ++k) o.v[k] = f(x[u].v[k], y[u].v[k], z[u].v[k]);
      store<R, W>(r + base + (u * 256 + threadIdx.x) * W, o);
    }
  } else {
    for (uint32_t i = base + threadIdx.x; i < n; i += 256) r[i] = f(a[i], b[i], c[i]);
  }
}

KERNEL(256) copy_f32(uint32_t n, const float* a, float* r) { map1<4, 4>(n, a, r, [](float x) { return x; }); }
KERNEL(256) add_f32(uint32_t n, const float* a, const float* b, float* r) { map2<2, 4>(n, a, b, r, [](float x, float y) { return x + y; }); }
KERNEL(256) add_f64(uint32_t n, const double* a, const double* b, double* r) { map2<2, 2>(n, a, b, r, [](double x, double y) { return x + y; }); }
KERNEL(256) saxpy(uint32_t n, float k, const float* a, const float* b, float* r) { map2<2, 4>(n, a, b, r, [=](float x, float y) { return k * x + y; }); }
KERNEL(256) discriminant(uint32_t n, const float* a, const float* b, const float* c, float* r) {
  map3<2, 4>(n, a, b, c, r, [](float x, float y, float z) { return sqrtf(y * y - 4 * x * z); });
}
KERNEL(256) gaussian(uint32_t n, const float* a, float mean, float sigma, float* r) {
  map1<4, 4>(n, a, r, [=](float x) { const float z = (x - mean) / sigma; return expf(-0.5f * z * z) / (sigma * 2.50662827463f); });
}
KERNEL(256) polar(uint32_t n, const float* r1, const float* t1, const float* r2, const float* t2, float* r) {
  const uint32_t base = blockIdx.x * 1024u + threadIdx.x * 4;
  if (base + 4 > n) return;
  const auto a = load<float, 4>(r1 + base), b = load<float, 4>(t1 + base), c = load<float, 4>(r2 + base), d = load<float, 4>(t2 + base);
  pack<float, 4> o;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    float s1, c1, s2, c2;
    sincosf(b.v[k], &s1, &c1);
    sincosf(d.v[k], &s2, &c2);
    const float x = a.v[k] * c1 - c.v[k] * c2, y = a.v[k] * s1 - c.v[k] * s2;
    o.v[k] = sqrtf(x * x + y * y);
  }
  store<float, 4>(r + base, o);
}
KERNEL(256) add_i8(uint32_t n, const uint4* __restrict__ a, const uint4* __restrict__ b, uint4* __restrict__ r) {  // n packs of 16
  const uint32_t i = blockIdx.x * 512u + threadIdx.x;
  if (i + 256 < n) {
    uint4 x[2], y[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) { x[u] = __ldcs(a + i + u * 256); y[u] = __ldcs(b + i + u * 256); }
#pragma unroll
    for (int u = 0; u < 2; ++u)
      __stcs(r + i + u * 256, make_uint4(__vadd4(x[u].x, y[u].x), __vadd4(x[u].y, y[u].y), __vadd4(x[u].z, y[u].z), __vadd4(x[u].w, y[u].w)));
  }
}
KERNEL(256) add_f16(uint32_t n, const uint4* __restrict__ a, const uint4* __restrict__ b, uint4* __restrict__ r) {  // n packs of 8
  const uint32_t i = blockIdx.x * 512u + threadIdx.x;
  if (i + 256 < n) {
    uint4 x[2], y[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) { x[u] = __ldcs(a + i + u * 256); y[u] = __ldcs(b + i + u * 256); }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      __half2 p[4], q[4];
      memcpy(p, &x[u], 16);
      memcpy(q, &y[u], 16);
#pragma unroll
      for (int k = 0; k < 4; ++k) p[k] = __hadd2(p[k], q[k]);
      uint4 z;
      memcpy(&z, p, 16);
      __stcs(r + i + u * 256, z);
    }
  }
}
// Rows by blockIdx.y, so that nothing is divided; the row that all share stays in L1 and L2.
KERNEL(256) add_row(uint32_t columns4, const float4* __restrict__ a, const float4* __restrict__ row, float4* __restrict__ r, uint32_t rows) {
  const uint32_t j = blockIdx.x * 256 + threadIdx.x;
  if (j >= columns4) return;
  const float4 b = row[j];
  const uint32_t first = blockIdx.y * 4;
  if (first + 4 <= rows) {
    float4 x[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) x[u] = __ldcs(a + size_t(first + u) * columns4 + j);
#pragma unroll
    for (int u = 0; u < 4; ++u) __stcs(r + size_t(first + u) * columns4 + j, make_float4(x[u].x + b.x, x[u].y + b.y, x[u].z + b.z, x[u].w + b.w));
  }
}
// A tile of 32 x 32 through shared memory; n rows and columns.
KERNEL(256) add_transposed(uint32_t n, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ r) {
  __shared__ float tile[32][33];
  const uint32_t x = threadIdx.x & 31, y = threadIdx.x >> 5;
  const uint32_t i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
  float t[4], s[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) t[k] = __ldcs(a + (j0 + y + k * 8) * n + i0 + x);
#pragma unroll
  for (int k = 0; k < 4; ++k) s[k] = __ldcs(b + (i0 + y + k * 8) * n + j0 + x);
#pragma unroll
  for (int k = 0; k < 4; ++k) tile[y + k * 8][x] = t[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; ++k) __stcs(r + (i0 + y + k * 8) * n + j0 + x, tile[x][y + k * 8] + s[k]);
}
// x[::2] + y: both halves of what lies there are loaded.
KERNEL(256) add_strided(uint32_t n4, const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ r) {
  const uint32_t i = blockIdx.x * 512u + threadIdx.x;
  if (i + 256 < n4) {
    float4 x[2][2], y[2];
#pragma unroll
    for (int u = 0; u < 2; ++u) { x[u][0] = __ldcs(a + 2 * (i + u * 256)); x[u][1] = __ldcs(a + 2 * (i + u * 256) + 1); y[u] = __ldcs(b + i + u * 256); }
#pragma unroll
    for (int u = 0; u < 2; ++u) __stcs(r + i + u * 256, make_float4(x[u][0].x + y[u].x, x[u][0].z + y[u].y, x[u][1].x + y[u].z, x[u][1].z + y[u].w));
  }
}
// where: a warp's packs without a true byte read and write nothing.
KERNEL(256) add_where(uint32_t n4, const float4* __restrict__ a, const float4* __restrict__ b, const uint32_t* __restrict__ mask, float4* r) {
  const uint32_t i = blockIdx.x * 512u + threadIdx.x;
  if (i + 256 >= n4) return;
  uint32_t m[2];
#pragma unroll
  for (int u = 0; u < 2; ++u) m[u] = __ldcs(mask + i + u * 256);
  float4 x[2], y[2];
#pragma unroll
  for (int u = 0; u < 2; ++u) if (m[u]) { x[u] = __ldcs(a + i + u * 256); y[u] = __ldcs(b + i + u * 256); }
#pragma unroll
  for (int u = 0; u < 2; ++u) {
    const float4 z = make_float4(x[u].x + y[u].x, x[u].y + y[u].y, x[u].z + y[u].z, x[u].w + y[u].w);
    if (m[u] == 0x01010101u) __stcs(r + i + u * 256, z);
    else if (m[u]) {
      float* p = reinterpret_cast<float*>(r + i + u * 256);
      if (m[u] & 0xff) p[0] = z.x;
      if (m[u] & 0xff00) p[1] = z.y;
      if (m[u] & 0xff0000) p[2] = z.z;
      if (m[u] >> 24) p[3] = z.w;
    }
  }
}
KERNEL(256) add_mixed(uint32_t n, const int* a, const float* b, double* r) { map2<2, 4>(n, a, b, r, [](int x, float y) { return double(x) + double(y); }); }
// Quotient and remainder of one division; kiln's division is defined for 0 and MIN / -1, this one is C's.
KERNEL(256) divmod(uint32_t n4, const int4* __restrict__ a, const int4* __restrict__ b, int4* __restrict__ q, int4* __restrict__ m) {
  const uint32_t i = blockIdx.x * 512u + threadIdx.x;
  if (i + 256 >= n4) return;
  int4 x[2], y[2];
#pragma unroll
  for (int u = 0; u < 2; ++u) { x[u] = __ldcs(a + i + u * 256); y[u] = __ldcs(b + i + u * 256); }
#pragma unroll
  for (int u = 0; u < 2; ++u) {
    const int4 d = make_int4(x[u].x / y[u].x, x[u].y / y[u].y, x[u].z / y[u].z, x[u].w / y[u].w);
    __stcs(q + i + u * 256, d);
    __stcs(m + i + u * 256, make_int4(x[u].x - d.x * y[u].x, x[u].y - d.y * y[u].y, x[u].z - d.z * y[u].z, x[u].w - d.w * y[u].w));
  }
}


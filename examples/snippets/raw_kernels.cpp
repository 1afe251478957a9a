// Snippets of docs/raw-kernels.md.
#include <cstdlib>
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::Array;
using kiln::DType;

int main() {
  {
    const int n = 5, m = 3;
    const Array x = kiln::arange(n).astype<float>(), y = Array::zeros(n, DType::float32);
    const Array A = Array::ones({m, 4}, DType::float32), B = Array::ones({n, 4}, DType::float32),
                C = Array::zeros({m, n}, DType::float32);
    // snippet: first
    auto stencil = kiln::kernel({
        .name = "stencil",
        .signature = "void(const float32[:] x, float32[:] y, int64 n, float32 a)",
        .body = R"(
          const float32 left = item > 0 ? x[item - 1] : 0;
          const float32 right = item + 1 < n ? x[item + 1] : 0;
          y[item] = a * (left + right);)",
    });

    stencil({.size = n}, x, y, n, 0.5F);  // once for each item of [0, n)

    auto matmul = kiln::kernel({
        .name = "matmul",
        .signature = "void(const float32[:,:] A, const float32[:,:] B, float32[:,:] C)",
        .body = R"(
          const auto [j, i] = grid(2);
          if (i >= C.shape(0) || j >= C.shape(1)) return;
          float32 sum = 0;
          for (index k = 0; k < A.shape(1); ++k) sum += A(i, k) * B(k, j);
          C(i, j) = sum;)",
    });

    matmul.configure({(n + 15) / 16, (m + 15) / 16}, {16, 16})(A, B.transpose(), C);  // Numba's matmul[grid, block](A, B.T, C)
    std::cout << x << " " << y << "\n" << C << "\n";
    // end
  }
  {
    const int n = 3;
    const Array x = Array::from({1.0F, 2.0F, 3.0F}), y = Array::zeros(n, DType::float32);
    // snippet: module
    auto module = kiln::cupy::raw_module({
        .code = R"(
        template <typename T, int Times>
        __global__ void axpy(const T* x, T* y, T a, int n) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) {
            for (int k = 0; k < Times; ++k) y[i] += a * x[i];
          }
        })",
        .options = {"--std=c++17"},
        .name_expressions = {"axpy<float, 3>"},
    });

    auto axpy = module.get_function("axpy<float, 3>");
    axpy((n + 255) / 256, 256, {x, y, 2.0F, n});  // grid, block, arguments; then .shared_bytes and the stream
    std::cout << y << "\n";
    // end
  }
  {
    const int n = 1000, chunk = 512, blocks = 2;
    const Array x = kiln::full(n, 255, {.dtype = DType::uint8}), bins = Array::zeros(256, DType::int64);
    // snippet: histogram
    auto histogram = kiln::kernel({
        .name = "histogram",
        .signature = "void(const uint8[:] x, int64 n, int64 chunk, int64[:] bins)",
        .body = R"(
          KILN_SHARED int32 own[256];
          for (uint32 i = thread.x; i < 256; i += block_size.x) own[i] = 0;
          barrier();
          const index begin = block.x * chunk;
          const index end = begin + chunk < n ? begin + chunk : n;
          for (index i = begin + thread.x; i < end; i += block_size.x) atomic_add(&own[x[i]], 1);
          barrier();
          for (uint32 i = thread.x; i < 256; i += block_size.x) atomic_add(&bins[i], own[i]);)",
    });

    histogram({.grid = {blocks}, .block = {256}}, x, n, chunk, bins);
    std::cout << bins[255] << "\n";
    // end
  }
  {
    // snippet: emulated
    const kiln::Device gpu = kiln::Device::emulated("sm_90");
    auto histogram =
        kiln::kernel({.name = "histogram", .signature = "void(float32* counts)", .body = "atomic_add(&counts[thread.x], 1);"});
    try {
      histogram.configure(1, 256)(kiln::device_array(255, DType::float32, gpu));
      gpu.synchronize();
    } catch (const kiln::DeviceError& error) {
      std::cout << error.what() << "\n";
    }
    // end
  }
}

// Snippets of docs/interop.md, for CUDA's libraries.
#include <cublas_v2.h>
#include <kiln/kiln.hpp>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

void sort(const kiln::Array& a, const kiln::Stream& s) {
  // snippet: thrust
  const auto first = thrust::device_pointer_cast(static_cast<float*>(a.data()));
  const auto stream = static_cast<cudaStream_t>(s.native());
  thrust::sort(thrust::cuda::par.on(stream), first, first + a.size());
  // end
}

void multiply(cublasHandle_t handle, const kiln::Stream& s, const kiln::Array& a, const kiln::Array& b, const kiln::Array& c) {
  const int m = static_cast<int>(a.shape()[0]), k = static_cast<int>(a.shape()[1]), n = static_cast<int>(b.shape()[1]);
  const auto *a_data = static_cast<const float*>(a.data()), *b_data = static_cast<const float*>(b.data());
  const auto c_data = static_cast<float*>(c.data());
  const float one = 1, zero = 0;
  // snippet: cublas
  cublasSetStream(handle, static_cast<cudaStream_t>(s.native()));
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b_data, n, a_data, k, &zero, c_data, n);  // c = a b
  // end
}

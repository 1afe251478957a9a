// snippet: before
#include "jitify.hpp"

const char* const source = R"(saxpy_program
template <typename T> __global__ void saxpy(int n, T a, const T* x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
})";

void run(int n, float a, const float* x, float* y) {
  static jitify::JitCache cache;
  jitify::Program program = cache.program(source, {}, {"-std=c++17"});
  program.kernel("saxpy").instantiate<float>().configure(dim3((n + 31) / 32), dim3(32)).launch(n, a, x, y);
}
// end

// Snippets of docs/coming-from/jitify.md.
#include <iostream>
#include <vector>
// snippet: unchanged
#include <kiln/kiln.hpp>

int main() {
  const auto program = kiln::cupy::raw_module({
      .code = R"(
        template <typename T> __global__ void saxpy(int n, T a, const T* x, T* y) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) y[i] = a * x[i] + y[i];
        })",
      .name_expressions = {"saxpy<float>"},
  });
  std::vector<float> x{1, 2, 3, 4}, y{10, 20, 30, 40};
  program.get_function("saxpy<float>")(1, 32, {4, 2.0F, x, y});
  for (const float value : y) std::cout << value << " ";
  std::cout << "\n";
  // end

  // snippet: ufunc
  const auto saxpy = kiln::vectorize("T saxpy(T a, T x, T y) where T: float32, float64 = a * x + y");
  std::cout << saxpy(2.0F, x, y) << "\n";
  // end

  // snippet: error
  try {
    static_cast<void>(kiln::vectorize("float32 wrong(float32 x) = expp(x)")(x));
  } catch (const kiln::CompileError& error) {
    std::cout << error.diagnostics().front().text << "\n";
  }
  // end

  // snippet: headers
  const auto scaled = kiln::vectorize({
      .name = "scaled",
      .signatures = {"float32(float32 x, constant int32 power)"},
      .body = "return scale(x, power);",
      .compile = {.preamble = "#include \"scale.h\"",
                  .headers = {{"scale.h",
                               "inline float scale(float x, int power) { while (power-- > 0) x *= BASE; return x; }"}},
                  .defines = {"BASE=10"}},
  });
  std::cout << scaled(x, 2) << "\n";
  // end
}

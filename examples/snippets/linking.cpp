// Snippets of docs/linking.md.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  setenv("KILN_CPU_TARGET", "x86-64-v3", 1);
  const auto scale = kiln::vectorize({.name = "scale", .signatures = {"float32(float32 x)"}, .body = "return 2 * x;"});
  for (const auto& [target, file] :
       {std::pair{"sm_90", "scale.ptx"}, {"gfx90a", "scale_amd.bc"}, {"x86-64-v3", "scale_x86.o"}}) {
    const auto code = scale.device_code(target);
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(code.bytes.data()), static_cast<std::streamsize>(code.bytes.size()));
  }
  // snippet: link
  auto f = kiln::vectorize({
      .name = "scaled",
      .signatures = {"float32(float32 x)"},
      .body = "return scale(x) - 1;",
      .compile = {.functions = kiln::declare_device("scale", "float32(float32 x)"),
                  .link = {"scale.ptx", "scale_amd.bc", "scale_x86.o"}},
  });
  std::cout << f(5.0F) << "\n";
  // end

  const auto quotient =
      kiln::vectorize(
          {
              .name = "other",
              .signatures = {"int32(int32 a, int32 b)"},
              .body = "int32 result; return quotient(&result, a, b);",
              .compile = {.functions =
                              R"(extern "C" __attribute__((used, noinline)) int32 quotient(int32* result, int32 a, int32 b) {
                                                        *result = a / b;
                                                        return b == 0 ? 7 : 0;
                                                      })"},
          })
          .device_code("x86-64-v3");
  // clang-format off
  const kiln::CompileOptions options = {
      // snippet: numba
      // In CUDA C++: extern "C" __device__ int quotient(int* result, int a, int b)
      .functions = kiln::declare_device("quotient", "int32(int32 a, int32 b)", {.abi = kiln::DeviceAbi::numba}),
      // end
      .link = {kiln::LinkFile::of_bytes("quotient", quotient.bytes)}};
  // clang-format on
  const auto ratios = kiln::vectorize(
      {.name = "ratios", .signatures = {"int32(int32 a, int32 b)"}, .body = "return quotient(a, b);", .compile = options});
  if (ratios(7, 2).item<int>() != 3) return 1;

  // snippet: status
  try {
    ratios(7, 0);
  } catch (const kiln::DeviceError& error) {
    std::cout << error.what() << "\n";
  }
  // end

  // snippet: other
  auto gauss = kiln::vectorize({.name = "gauss", .signatures = {"float32(float32 x)"}, .body = "return exp(-x * x / 2);"});
  const kiln::DeviceCode code = gauss.device_code("gfx90a");
  std::cout << code.declaration << "\n";
  // end
}

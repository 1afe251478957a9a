// What NVRTC and hipRTC make of raw kernels, with no device: both forms, what threads share, changes in one step of every
// dtype.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../device/gpu_compilers.hpp"
#include "compile_all.hpp"
#include "kernel/raw/spec.hpp"
#include "kiln/error.hpp"
#include "kiln/kernel.hpp"

namespace {

void compile_all(const char* target) {
  // A cache that keeps nothing: every kernel is compiled.
  const kiln::Cache none(kiln::CacheOptions{.directory = ""});
  const auto count = [&](kiln::RawKernelDefinition definition) {
    definition.compile.cache = none;
    const kiln::RawKernel kernel = kiln::kernel(definition);
    try {
      return kernel.compile(target);
    } catch (const kiln::CompileError& error) {
      FAIL_CHECK(target, ", ", kernel.name(), ": ", error.what());
      return 0;
    }
  };
  const std::string all =
      " where T: bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, "
      "complex64";
  const std::string ordered =
      " where T: int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64";
  const std::string integers = " where T: int8, int16, int32, int64, uint8, uint16, uint32, uint64";
  CHECK(count({.name = "copy",
               .signature = "void(const T[:] x, T[:] y, T a)" + all,
               .body = "y[item] = item == 0 ? T(a) : x[item];"}) == 14);
  CHECK(count({.name = "add", .signature = "void(const T[:] x, T[:] y)" + ordered, .body = "atomic_add(&y(item), x[item]);"}) ==
        12);
  CHECK(count({.name = "extrema",
               .signature = "void(const T[:] x, T[:] y)" + ordered,
               .body = "atomic_min(&y[0], x[item]);\natomic_max(&y[1], x[item]);"}) == 12);
  CHECK(count({.name = "bits",
               .signature = "void(const T[:] x, T[:] y)" + integers,
               .body = "atomic_and(&y[0], x[item]);\natomic_or(&y[1], x[item]);\natomic_xor(&y[2], x[item]);\n"
                       "y[3] = atomic_exchange(&y[4], x[item]);\natomic_compare_exchange(&y[5], y[6], x[item]);"}) == 8);
  CHECK(count({.name = "transpose", .signature = "void(const T[:,:] x, T[:,:] y) where T: float32, complex128", .body = R"(
      KILN_SHARED T tile[32][33];
      const index column = block.x * 32 + thread.x;
      for (uint32 r = thread.y; r < 32; r += block_size.y) {
        const index row = block.y * 32 + r;
        if (row < x.shape(0) && column < x.shape(1)) tile[r][thread.x] = x(row, column);
      }
      barrier();
      const index row = block.y * 32 + thread.x;
      for (uint32 c = thread.y; c < 32; c += block_size.y) {
        const index to = block.x * 32 + c;
        if (row < y.shape(1) && to < y.shape(0)) y(to, row) = tile[thread.x][c];
      })"}) == 2);
  CHECK(count({.name = "dynamic",
               .signature = "void(float64[:] x)",
               .body = "float64* const s = KILN_DYNAMIC_SHARED(float64);\ns[thread.x] = x[item];\nbarrier();\n"
                       "x[item] = s[block_size.x - 1 - thread.x];"}) == 1);
  CHECK(count({.name = "plane",
               .signature = "void(T[:,:,:] x, T* p)" + all,
               .body = "const auto [i, j, k] = grid(3);\nif (i < x.shape(0) && j < x.shape(1) && k < x.shape(2)) {\n"
                       "  x(i, j, k) = p[(i * gridsize(3).y + j) * gridsize(3).z + k];\n}"}) == 14);
  // The vendor's own names, too: a kernel that was written for it.
  CHECK(count({.name = "native",
               .signature = "void(float32[:] x, int32 n)",
               .body = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) x[i] *= 2;\n__syncthreads();"}) == 1);
}

/// What a body asks of the grid, but for its blocks.
std::vector<kiln::test::VariantOf<kiln::kinds::RawSpec>> grids() {
  using kiln::kinds::RawForm;
  std::vector<kiln::test::VariantOf<kiln::kinds::RawSpec>> found;
  const auto add = [&](const char* name, RawForm form, const char* body) {
    kiln::kinds::RawSpec spec{.parameters = {{.dtype = kiln::DType::int64, .array = true}}, .form = form};
    found.push_back({name, {.name = "grids", .body = body, .input_names = {"x"}}, spec});
  };
  add("raw items", RawForm::items, "x[item] += item;");
  add("raw numbers", RawForm::blocks, "x[item] += thread.x;");
  add("raw grid", RawForm::blocks,
      "for (index i = grid(1); i < 1000; i += gridsize(1)) x[i] += gridsize(3).y + gridsize(3).z;");
  return found;
}

}  // namespace

TEST_CASE("raw kernels: machine code for AMD") {
  compile_for_amd(grids(), {}, 1);
}

TEST_CASE("raw kernels compile for sm_90") {
  if (kiln::test::have_compiler(kiln::DeviceKind::cuda)) compile_all("sm_90");
}

TEST_CASE("raw kernels compile for gfx90a") {
  if (kiln::test::have_compiler(kiln::DeviceKind::hip)) compile_all("gfx90a");
}

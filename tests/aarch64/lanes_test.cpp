// That bodies with control flow are vectors of NEON's registers here: with elements one at a time the other suites would pass,
// too.
#include <doctest/doctest.h>

#include <kiln/kiln.hpp>

using kiln::Array;
using kiln::DType;

namespace {

/// Bits of the widest arithmetic; a body that is scalar says why.
void check_lanes(const kiln::cache::Contents& kernel) {
  const kiln::inspect::Resources found = kiln::inspect::resources(kernel);
  CHECK(found.vector_bits == 128);
  CHECK_FALSE(found.scalar_because);
}

void check_ufunc(const char* signature, const char* body) {
  CAPTURE(std::string(body));
  const kiln::Ufunc ufunc = kiln::vectorize({.name = "f", .signatures = {signature}, .body = body});
  check_lanes(ufunc.compiled(Array::zeros({1000}, DType::float32)));
}

}  // namespace

TEST_CASE("lanes: ufuncs whose items take other ways") {
  check_ufunc("int32(float32 x)", "int32 k = 0; while (k < 100 && x < 1e6f) { x = x * x + 0.5f; ++k; } return k;");
  check_ufunc("float32(float32 x)",
              "for (int32 k = 0; k < 64; ++k) { if (x > 8) return x + k; if (x < 0) continue; x *= 1.5f; } return x;");
  check_ufunc(
      "float32(float32 x)",
      "float32 last[8] = {}; int32 k = 0; while (x < 1e5f && k < 40) { last[k & 7] = x; x = x * 1.25f + 1; ++k; } return "
      "last[k & 7] + last[3];");
  check_ufunc("int32(float32 x)",
              "const int32 n = int32(x); int32 a = n & 63, steps = 0; while (a > 1) { a = a & 1 ? 3 * a + 1 : a / 2; ++steps; "
              "} return steps;");
}

TEST_CASE("lanes: items of a gufunc that wait for the iteration before") {
  const kiln::Gufunc sums = kiln::guvectorize({.name = "positive_sums",
                                               .layout = "(n)->(n)",
                                               .signatures = {"void(float32[:] x, float32[:] y)"},
                                               .body = "float32 sum = 0; for (index i = 0; i < n; ++i) { if (x(i) > 0) sum = "
                                                       "sum * 0.5f + x(i); y(i) = sum; }"});
  check_lanes(sums.compiled(Array::zeros({100, 40}, DType::float32)));
}

TEST_CASE("lanes: items and threads of raw kernels") {
  const kiln::LaunchOptions items{.size = 1000};
  const kiln::RawKernel halves = kiln::kernel({.name = "halvings",
                                               .signature = "void(const float32[:] x, int32[:] y)",
                                               .body = "float32 a = x[item]; int32 k = 0; while (a > 1) { a *= 0.5f; ++k; } "
                                                       "y[item] = k;"});
  const Array x = Array::zeros({1024}, DType::float32);
  check_lanes(halves.compiled(items, x, Array::zeros({1024}, DType::int32)));
  const kiln::LaunchOptions blocks{.grid = 4, .block = 256};
  const kiln::RawKernel sums =
      kiln::kernel({.name = "block_sums", .signature = "void(const float32[:] x, float32[:] y)", .body = R"(
    KILN_SHARED float32 part[256];
    part[thread.x] = x[item];
    for (int32 half = 128; half > 0; half /= 2) {
      barrier();
      if (thread.x < half) part[thread.x] += part[thread.x + half];
    }
    if (thread.x == 0) y[block.x] = part[0];)"});
  check_lanes(sums.compiled(blocks, x, Array::zeros({4}, DType::float32)));
}

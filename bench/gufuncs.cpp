#include "gufuncs.hpp"

#include "plain_loops.hpp"

namespace kiln::bench {
namespace {

constexpr std::int64_t kSide = 8;
constexpr std::int64_t kLength = 64;

void products(const float* a, const float* b, float* c, std::int64_t items) {
  plain_matmul(a, b, c, items, kSide);
}
void inner_products(const float* a, const float* b, float* c, std::int64_t items) {
  plain_inner(a, b, c, items, kLength);
}
void running_sums(const float* a, const float*, float* c, std::int64_t items) {
  plain_running_sum(a, c, items, kLength);
}

GufuncDefinition inner(bool any_order) {
  return {.name = any_order ? "inner1d_any_order" : "inner1d",
          .layout = "(n),(n)->()",
          .signatures = {"void(float32[:] a, float32[:] b, float32 r)"},
          .body = "float32 sum = 0; for (index i = 0; i < n; ++i) sum += a(i) * b(i); r = sum;",
          .compile = {.fast_math = any_order}};
}

}  // namespace

std::span<const MeasuredGufunc> gufuncs() {
  static const std::vector<MeasuredGufunc> all = {
      {"matmul",
       {{kSide, kSide}, {kSide, kSide}},
       guvectorize({.name = "matmul",
                    .layout = "(m,n),(n,p)->(m,p)",
                    .signatures = {"void(float32[:,:] A, float32[:,:] B, float32[:,:] C)"},
                    .each = "i:m, j:p",
                    .body = "float32 acc = 0; for (index k = 0; k < n; ++k) acc += A(i, k) * B(k, j); C(i, j) = acc;"}),
       products},
      {"matmul_loops",
       {{kSide, kSide}, {kSide, kSide}},
       guvectorize({.name = "matmul_loops",
                    .layout = "(m,n),(n,p)->(m,p)",
                    .signatures = {"void(float32[:,:] A, float32[:,:] B, float32[:,:] C)"},
                    .body = R"(for (index i = 0; i < m; ++i)
                                 for (index j = 0; j < p; ++j) {
                                   float32 acc = 0;
                                   for (index k = 0; k < n; ++k) acc += A(i, k) * B(k, j);
                                   C(i, j) = acc;
                                 })"}),
       products},
      {"inner1d", {{kLength}, {kLength}}, guvectorize(inner(false)), inner_products},
      {"inner1d_any_order", {{kLength}, {kLength}}, guvectorize(inner(true)), inner_products},
      {"cumsum",
       {{kLength}},
       guvectorize({.name = "cumsum",
                    .layout = "(n)->(n)",
                    .signatures = {"void(float32[:] x, float32[:] y)"},
                    .body = "float32 sum = 0; for (index i = 0; i < n; ++i) { sum += x(i); y(i) = sum; }"}),
       running_sums},
  };
  return all;
}

}  // namespace kiln::bench

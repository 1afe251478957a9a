#include "gufunc_kernels.hpp"

#include <map>
#include <utility>

namespace conformance {
namespace {

std::vector<kiln::GufuncDefinition> definitions() {
  std::vector<kiln::GufuncDefinition> list;
  list.push_back(
      {.name = "matmul", .layout = "(n?,k),(k,m?)->(n?,m?)", .signatures = {"void(T[:,:] A, T[:,:] B, T[:,:] C)"}, .body = R"(
    for (index i = 0; i < n; ++i) {
      for (index j = 0; j < m; ++j) {
        T sum = 0;
        for (index l = 0; l < k; ++l) sum += A(i, l) * B(l, j);
        C(i, j) = sum;
      }
    })"});
  list.push_back({.name = "matmul",
                  .layout = "(n?,k),(k,m?)->(n?,m?)",
                  .signatures = {"void(T[:,:] A, T[:,:] B, T[:,:] C)"},
                  .each = "i:n, j:m",
                  .body = R"(
    T sum = 0;
    for (index l = 0; l < k; ++l) sum += A(i, l) * B(l, j);
    C(i, j) = sum;)"});
  list.push_back({.name = "vecdot",
                  .layout = "(n),(n)->()",
                  .signatures = {"void(T[:] a, T[:] b, T r)"},
                  .body = "T sum = 0; for (index i = 0; i < n; ++i) sum += a(i) * b[i]; r = sum;"});
  list.push_back({.name = "vecdot_complex",
                  .layout = "(n),(n)->()",
                  .signatures = {"void(T[:] a, T[:] b, T r) where T: complex64, complex128"},
                  .body = "T sum = 0; for (index i = 0; i < n; ++i) sum += conj(a(i)) * b(i); r = sum;"});
  list.push_back({.name = "matvec", .layout = "(m,n),(n)->(m)", .signatures = {"void(T[:,:] A, T[:] x, T[:] y)"}, .body = R"(
    for (index i = 0; i < m; ++i) {
      auto row = A.row(i);
      T sum = 0;
      for (index j = 0; j < n; ++j) sum += row(j) * x(j);
      y(i) = sum;
    })"});
  list.push_back({.name = "vecmat",
                  .layout = "(n),(n,m)->(m)",
                  .signatures = {"void(T[:] x, T[:,:] A, T[:] y)"},
                  .each = "j:m",
                  .body = "T sum = 0; for (index i = 0; i < n; ++i) sum += x(i) * A(i, j); y(j) = sum;"});
  list.push_back({.name = "inner1d",
                  .layout = "(i),(i)->()",
                  .signatures = {"void(int64[:] a, int64[:] b, int64[:] r)", "void(float64[:], float64[:], float64[:])"},
                  .body = R"(
    r(0) = 0;
    for (index l = 0; l < i; ++l) r(0) += a(l) * b(l);)"});
  list.push_back({.name = "inner1d",
                  .layout = "(i),(i)->()",
                  .signatures = {"void(T[:] a, T[:] b, T r) where T: int64, float64"},
                  .group = "block",
                  .body = R"(
    T sum = 0;
    for (index l = lane; l < i; l += lanes) sum += a(l) * b(l);
    r = team_sum(sum);)"});
  list.push_back(
      {.name = "innerwt",
       .layout = "(i),(i),(i)->()",
       .signatures = {"void(int64[:] a, int64[:] b, int64[:] w, int64 r)", "void(float64[:], float64[:], float64[:], float64)"},
       .body = "r = 0; for (index l = 0; l < a.size(); ++l) r += a(l) * b(l) * w(l);"});
  const std::vector<std::string> matrices = {"void(T[:,:] A, T[:,:] B, T[:,:] C) where T: int64, float32, float64"};
  list.push_back({.name = "matrix_multiply", .layout = "(m,n),(n,p)->(m,p)", .signatures = matrices, .body = R"(
    for (index i = 0; i < m; ++i) {
      for (index j = 0; j < p; ++j) {
        C(i, j) = 0;
        for (index k = 0; k < n; ++k) C(i, j) += A(i, k) * B(k, j);
      }
    })"});
  list.push_back({.name = "matrix_multiply", .layout = "(m,n),(n,p)->(m,p)", .signatures = matrices, .each = "i:m", .body = R"(
    for (index j = 0; j < p; ++j) {
      T sum = 0;
      for (index k = 0; k < n; ++k) sum += A(i, k) * B(k, j);
      C(i, j) = sum;
    })"});
  list.push_back({.name = "matrix_multiply",
                  .layout = "(m,n),(n,p)->(m,p)",
                  .signatures = matrices,
                  .group = "64",
                  .shared = "T[n]",
                  .body = R"(
    auto row = shared<T>(n);
    for (index i = 0; i < m; ++i) {
      for (index k = lane; k < n; k += lanes) row[k] = A(i, k);
      sync();
      for (index j = lane; j < p; j += lanes) {
        T sum = 0;
        for (index k = 0; k < n; ++k) sum += row[k] * B(k, j);
        C(i, j) = sum;
      }
      sync();
    })"});
  list.push_back({.name = "cumsum",
                  .layout = "(i)->(i)",
                  .signatures = {"void(int64[:] x, int64[:] y)", "void(float64[:], float64[:])"},
                  .body = R"(
    if (i == 0) return;
    y(0) = x(0);
    for (index l = 1; l < i; ++l) y(l) = y(l - 1) + x(l);)"});
  list.push_back({.name = "cross1d",
                  .layout = "(3),(3)->(3)",
                  .signatures = {"void(int64[:] a, int64[:] b, int64[:] c)", "void(float64[:], float64[:], float64[:])"},
                  .body = R"(
    c(0) = a(1) * b(2) - a(2) * b(1);
    c(1) = a(2) * b(0) - a(0) * b(2);
    c(2) = a(0) * b(1) - a(1) * b(0);)"});
  list.push_back({.name = "pdist",
                  .layout = "(n,d)->(p)",
                  .signatures = {"void(T[:,:] x, T[:] r) where T: float32, float64"},
                  .sizes = "p = n * (n - 1) / 2",
                  .body = R"(
    index at = 0;
    for (index i = 0; i < n; ++i) {
      for (index j = i + 1; j < n; ++j) {
        T sum = 0;
        for (index l = 0; l < d; ++l) sum += square(x(i, l) - x(j, l));
        r(at++) = sqrt(sum);
      }
    })"});
  list.push_back({.name = "conv1d",
                  .layout = "(m),(n)->(p)",
                  .signatures = {"void(float64[:] x, float64[:] y, float64[:] r)"},
                  .sizes = "p = m + n - 1",
                  .body = R"(
    for (index l = 0; l < p; ++l) {
      float64 sum = 0;
      for (index i = max(index(0), l - n + 1); i < min(m, l + 1); ++i) sum += x(i) * y(l - i);
      r(l) = sum;
    })"});
  list.push_back({.name = "conv1d",
                  .layout = "(m),(n)->(p)",
                  .signatures = {"void(float64[:] x, float64[:] y, float64[:] r)"},
                  .each = "l:p",
                  .sizes = "p = m + n - 1",
                  .body = R"(
    float64 sum = 0;
    for (index i = 0; i < m; ++i) {
      if (l - i >= 0 && l - i < n) sum += x(i) * y(l - i);
    }
    r(l) = sum;)"});
  list.push_back({.name = "outer",
                  .layout = "(m),(n)->(m,n)",
                  .signatures = {"void(float64[:] a, float64[:] b, float64[:,:] c)"},
                  .body = "for (index i = 0; i < m; ++i) for (index j = 0; j < n; ++j) c(i, j) = a(i) * b(j);"});
  list.push_back({.name = "trace",
                  .layout = "(n,n)->()",
                  .signatures = {"void(int64[:,:] A, int64 r)"},
                  .body = "r = 0; for (index i = 0; i < A.shape(1); ++i) r += A(i, i);"});
  list.push_back({.name = "transpose",
                  .layout = "(m,n)->(n,m)",
                  .signatures = {"void(float64[:,:] A, float64[:,:] B)"},
                  .each = "i:m, j:n",
                  .body = "B(j, i) = A(i, j);"});
  list.push_back({.name = "diagonal", .layout = "(n)->(n,n)", .signatures = {"void(int64[:] d, int64[:,:] A)"}, .body = R"(
    for (index i = 0; i < n; ++i) {
      for (auto& x : A.row(i)) x = 0;
      A(i, i) = d(i);
    })"});
  list.push_back({.name = "reverse", .layout = "(n)->(n)", .signatures = {"void(complex128[:] x, complex128[:] y)"}, .body = R"(
    index i = n;
    for (auto& v : x) y(--i) = v;)"});
  list.push_back({.name = "moments",
                  .layout = "(m,n)->(m),(n),()",
                  .signatures = {"void(float64[:,:] A, float64[:] rows, float64[:] columns, float64 total)"},
                  .body = R"(
    total = 0;
    for (index j = 0; j < n; ++j) columns(j) = 0;
    for (index i = 0; i < m; ++i) {
      rows(i) = 0;
      for (index j = 0; j < n; ++j) {
        rows(i) += A(i, j);
        columns(j) += A(i, j);
        total += A(i, j);
      }
    })"});
  list.push_back(
      {.name = "extremes", .layout = "(n)->(),()", .signatures = {"void(int64[:] x, int64 least, int64[:] most)"}, .body = R"(
    least = x(0);
    most(0) = x(0);
    for (auto& v : x) {
      least = min(least, v);
      if (v > most(0)) most(0) = v;
    })"});
  list.push_back({.name = "moving",
                  .layout = "(n),()->(n)",
                  .signatures = {"void(float64[:] x, float64 w, float64[:] y)"},
                  .body = "for (index i = 0; i < n; ++i) y(i) = x(i) * w + x(i > 0 ? i - 1 : 0);"});
  list.push_back({.name = "argmin",
                  .layout = "(n)->()",
                  .signatures = {"void(float64[:] x, int64 r)"},
                  .body = "r = 0; for (index i = 1; i < n; ++i) if (x(i) < x(r)) r = i;"});
  list.push_back({.name = "histogram",
                  .layout = "(n),(k)->(k)",
                  .signatures = {"void(float64[:] x, float64[:] edges, int64[:] counts)"},
                  .body = R"(
    for (index i = 0; i < k; ++i) {
      counts(i) = 0;
      for (auto& v : x) counts(i) += v >= edges(i) && (i == k - 1 || v < edges(i + 1));
    })"});
  list.push_back({.name = "axpy",
                  .layout = "(),(n),(n)->(n)",
                  .signatures = {"void(float64 a, float64[:] x, float64[:] y, float64[:] r)"},
                  .each = "i:n",
                  .body = "r(i) = a * x(i) + y(i);"});
  list.push_back({.name = "scalars",
                  .layout = "(),()->(),()",
                  .signatures = {"void(int64 a, int64 b, int64 sum, int64 difference)"},
                  .body = "sum = a + b; difference = a - b;"});
  list.push_back({.name = "blocks",
                  .layout = "(2,2),(n,2)->(n,2)",
                  .signatures = {"void(float64[:,:] A, float64[:,:] x, float64[:,:] y)"},
                  .body = R"(
    for (index i = 0; i < n; ++i) {
      for (index j = 0; j < 2; ++j) y(i, j) = A(j, 0) * x(i, 0) + A(j, 1) * x(i, 1);
    })"});
  return list;
}

}  // namespace

const std::vector<kiln::Gufunc>& golden_gufuncs(const std::string& name) {
  static const auto all = [] {
    std::map<std::string, std::vector<kiln::Gufunc>> table;
    for (const kiln::GufuncDefinition& definition : definitions())
      table[definition.name].push_back(kiln::guvectorize(definition));
    return table;
  }();
  return all.at(name);
}

}  // namespace conformance

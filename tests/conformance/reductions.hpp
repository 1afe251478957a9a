// The reductions that the tests of kiln::reduction share.
#pragma once

#include "devices.hpp"

namespace conformance {

// NumPy's: the first of equals, and the first NaN before anything.
inline kiln::ReductionDefinition place_of(const char* name, const char* better) {
  return {.name = name,
          .signatures = {"int64(T x)"},
          .accumulator = "T best; int64 at;",
          .map = "return {x, i};",
          .reduce = std::string("const bool p = a.best != a.best, q = b.best != b.best;\n") +
                    "return (p == q ? (p || a.best == b.best ? b.at < a.at : " + better + ") : q) ? b : a;",
          .post = "return a.at;",
          .identity = "{0, -1}"};
}
inline const kiln::Reduction argmax = kiln::reduction(place_of("argmax", "b.best > a.best"));
inline const kiln::Reduction argmin = kiln::reduction(place_of("argmin", "b.best < a.best"));

inline const kiln::Reduction mean_var =
    kiln::reduction({.name = "mean_var",
                     .signatures = {"(float64 mean, float64 var)(float64 x)"},
                     .accumulator = "float64 n, mean, m2;",
                     .map = "return {1, x, 0};",
                     .reduce = "const float64 n = a.n + b.n, d = b.mean - a.mean, part = b.n / n;\n"
                               "return {n, a.mean + d * part, a.m2 + b.m2 + d * d * a.n * part};",
                     .post = "mean = a.n > 0 ? a.mean : NAN; var = a.n > 0 ? a.m2 / a.n : NAN;",
                     .identity = "{0, 0, 0}"});

inline const kiln::Reduction dot = kiln::reduction(
    {.name = "dot", .signatures = {"T(T x, T y)"}, .map = "return x * y;", .reduce = "return a + b;", .identity = "0"});

inline const kiln::Reduction logsumexp = kiln::reduction(
    {.name = "logsumexp",
     .signatures = {"float64(float64 x)"},
     .accumulator = "float64 top, sum;",
     .map = "return {x, 1};",
     .reduce =
         "return a.top < b.top ? accumulator{b.top, b.sum + a.sum * exp(a.top - b.top)}\n"
         "     : b.top < a.top ? accumulator{a.top, a.sum + b.sum * exp(b.top - a.top)} : accumulator{a.top, a.sum + b.sum};",
     .post = "return a.top + log(a.sum);",
     .identity = "{-INFINITY, 0}"});

inline const kiln::Reduction minmax =
    kiln::reduction({.name = "minmax",
                     .signatures = {"(T low, T high)(T x)"},
                     .accumulator = "T low, high;",
                     .map = "return {x, x};",
                     .reduce = "return {b.low < a.low || b.low != b.low ? b.low : a.low,\n"
                               "        b.high > a.high || b.high != b.high ? b.high : a.high};",
                     .reorderable = true});

}  // namespace conformance

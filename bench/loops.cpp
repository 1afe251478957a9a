#include "loops.hpp"

namespace kiln::bench {
namespace {

Loop elementwise(int inputs, UfuncDefinition definition) {
  const std::string name = definition.name;
  return {name, inputs, [ufunc = vectorize(std::move(definition))](const std::vector<Arg>& args, const Outputs& out) {
            return ufunc.outputs(std::span<const Arg>(args), {.out = out});
          }};
}

Loop generalized(int inputs, GufuncDefinition definition) {
  const std::string name = definition.name;
  return {name, inputs, [gufunc = guvectorize(std::move(definition))](const std::vector<Arg>& args, const Outputs& out) {
            return gufunc.outputs(std::span<const Arg>(args), {.out = out});
          }};
}

UfuncDefinition escape(std::string name) {
  return {.name = std::move(name), .signatures = {"int32(float32 cr, float32 ci)"}, .body = R"(
            float32 x = 0, y = 0;
            int32 k = 0;
            while (k < 256) {
              float32 x2 = x * x, y2 = y * y;
              if (x2 + y2 > 4) break;
              y = 2 * x * y + ci;
              x = x2 - y2 + cr;
              ++k;
            }
            return k;)"};
}

Loop softmax(std::string name, bool any_order) {
  return generalized(1, {.name = std::move(name),
                         .layout = "(n)->(n)",
                         .signatures = {"void(float32[:] x, float32[:] y)"},
                         .body = R"(
                           float32 greatest = x(0);
                           for (index i = 1; i < n; ++i) greatest = max(greatest, x(i));
                           for (index i = 0; i < n; ++i) y(i) = exp(x(i) - greatest);
                           float32 sum = 0;
                           for (index i = 0; i < n; ++i) sum += y(i);
                           for (index i = 0; i < n; ++i) y(i) = y(i) / sum;)",
                         .compile = {.fast_math = any_order}});
}

/// Distance of the nearest hit of each ray from the origin.
Loop spheres() {
  const RawKernel nearest = kernel(
      {.name = "spheres",
       .signature = "void(const float32[:] X, const float32[:] Y, const float32[:] Z, const float32[:] R, const float32[:] dx, "
                    "const float32[:] dy, const float32[:] dz, float32[:] nearest)",
       .body = R"(
         float32 least = 1e30f;
         for (index i = 0; i < X.size(); ++i) {
           float32 b = X(i) * dx(item) + Y(i) * dy(item) + Z(i) * dz(item);
           float32 c = X(i) * X(i) + Y(i) * Y(i) + Z(i) * Z(i) - R(i) * R(i);
           float32 d = b * b - c;
           if (d < 0) continue;
           float32 t = b - sqrt(d);
           if (t > 0 && t < least) least = t;
         }
         nearest(item) = least;)"});
  return {"spheres", 7, [nearest](const std::vector<Arg>& inputs, const Outputs& out) {
            const Array& dx = inputs.back().array();
            std::vector<Array> results;
            for (const ArrayArg& each : out.list()) results.push_back(each.array());
            if (results.empty()) results.push_back(to_device(Array::empty(dx.shape(), DType::float32), dx.device()));
            std::vector<Arg> args = inputs;
            args.emplace_back(results.front());
            nearest.launch({.size = dx.size()}, args);
            return results;
          }};
}

}  // namespace

std::span<const Loop> loops() {
  static const std::vector<Loop> all = {
      elementwise(2, escape("escape_random")),
      elementwise(2, escape("escape_picture")),
      elementwise(1, {.name = "collatz", .signatures = {"int32(int64 n)"}, .body = R"(
                        int32 k = 0;
                        while (n != 1) {
                          n = n % 2 == 0 ? n / 2 : 3 * n + 1;
                          ++k;
                        }
                        return k;)"}),
      elementwise(2, {.name = "kepler", .signatures = {"float32(float32 m, float32 e)"}, .body = R"(
                        float32 E = m;
                        for (int i = 0; i < 20; ++i) {
                          float32 d = (E - e * sin(E) - m) / (1 - e * cos(E));
                          E -= d;
                          if (abs(d) < 1e-6f) break;
                        }
                        return E;)"}),
      generalized(
          2,
          {.name = "search", .layout = "(m),()->()", .signatures = {"void(float32[:] table, float32 x, int32 at)"}, .body = R"(
                        int32 low = 0, high = m;
                        while (low < high) {
                          int32 middle = (low + high) / 2;
                          if (table(middle) < x) low = middle + 1;
                          else high = middle;
                        }
                        at = low;)"}),
      softmax("softmax", false),
      softmax("softmax_any_order", true),
      elementwise(3, {.name = "black_scholes",
                      .signatures = {"float32(float32 s, float32 k, float32 t)"},
                      .body = R"(
                        const float32 rate = 0.02f, sigma = 0.3f;
                        float32 root = sigma * sqrt(t);
                        float32 d1 = (log(s / k) + (rate + 0.5f * sigma * sigma) * t) / root;
                        float32 d2 = d1 - root;
                        return s * normal(d1) - k * exp(-rate * t) * normal(d2);)",
                      .compile = {.functions = "float32 normal(float32 x) { return 0.5f + 0.5f * erf(x * 0.70710678f); }"}}),
      elementwise(1, {.name = "gaussian",
                      .signatures = {"float32(float32 x)"},
                      .body = "float32 z = (x - 0.5f) / 1.5f; return exp(-0.5f * z * z) / 3.7599424f;"}),
      elementwise(4, {.name = "polar", .signatures = {"float32(float32 r1, float32 t1, float32 r2, float32 t2)"}, .body = R"(
                        float32 dx = r1 * cos(t1) - r2 * cos(t2), dy = r1 * sin(t1) - r2 * sin(t2);
                        return sqrt(dx * dx + dy * dy);)"}),
      generalized(7, {.name = "bodies",
                      .layout = "(m),(m),(m),(m),(),(),()->(),(),()",
                      .signatures = {"void(float32[:] X, float32[:] Y, float32[:] Z, float32[:] mass, float32 x, float32 y, "
                                     "float32 z, float32 ax, float32 ay, float32 az)"},
                      .body = R"(
                        float32 sx = 0, sy = 0, sz = 0;
                        for (index j = 0; j < m; ++j) {
                          float32 dx = X(j) - x, dy = Y(j) - y, dz = Z(j) - z;
                          float32 r2 = dx * dx + dy * dy + dz * dz + 1e-3f;
                          float32 f = mass(j) / (r2 * sqrt(r2));
                          sx += f * dx;
                          sy += f * dy;
                          sz += f * dz;
                        }
                        ax = sx;
                        ay = sy;
                        az = sz;)"}),
      spheres(),
  };
  return all;
}

}  // namespace kiln::bench

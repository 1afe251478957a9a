#include "operations.hpp"

#include <complex>
#include <random>

namespace kiln::bench {

std::span<const Operation> operations() {
  static const std::vector<Operation> all = {
      {"saxpy",
       2,
       {2.5F},
       true,
       DType::float32,
       vectorize({.name = "saxpy", .signatures = {"float32(float32 a, float32 x, float32 y)"}, .body = "return a * x + y;"}),
       plain_saxpy,
       plain_saxpy_nt},
      {"discriminant",
       3,
       {},
       false,
       DType::float32,
       vectorize({.name = "discriminant",
                  .signatures = {"float32(float32 a, float32 b, float32 c)"},
                  .body = "return sqrt(b * b - 4 * a * c);"}),
       plain_discriminant,
       plain_discriminant_nt},
      {"gaussian_pdf",
       1,
       {0.5F, 1.5F},
       false,
       DType::float32,
       vectorize({.name = "gaussian_pdf",
                  .signatures = {"float32(float32 x, float32 mean, float32 sigma)"},
                  .body = "float32 z = (x - mean) / sigma; return exp(-0.5f * z * z) / (sigma * 2.5066282746f);"}),
       plain_gaussian,
       plain_gaussian_nt},
      {"polar_distance",
       4,
       {},
       false,
       DType::float32,
       vectorize(
           {.name = "polar_distance",
            .signatures = {"float32(float32 r1, float32 t1, float32 r2, float32 t2)"},
            .body = "float32 x1, y1, x2, y2; cartesian(r1, t1, x1, y1); cartesian(r2, t2, x2, y2);\n"
                    "float32 dx = x1 - x2, dy = y1 - y2; return sqrt(dx * dx + dy * dy);",
            .compile =
                {.functions =
                     "void cartesian(float32 r, float32 t, float32& x, float32& y) { x = r * cos(t); y = r * sin(t); }"}}),
       plain_polar,
       plain_polar_nt},
      {"complex_multiply",
       2,
       {},
       false,
       DType::complex64,
       vectorize({.name = "complex_multiply", .signatures = {"complex64(complex64 a, complex64 b)"}, .body = "return a * b;"}),
       plain_complex_multiply,
       plain_complex_multiply_nt},
  };
  return all;
}

std::vector<Array> make_inputs(const Operation& operation, std::int64_t n, const Device& device) {
  std::vector<Array> inputs;
  std::mt19937 random(7);
  for (int k = 0; k < operation.arrays; ++k) {
    Array host = Array::empty({n}, operation.dtype);
    const std::int64_t floats = operation.dtype == DType::complex64 ? 2 * n : n;
    auto* values = static_cast<float*>(host.data());
    // b*b > 4*a*c, so that no square root is NaN; a period of a prime keeps 5e7 values cheap to make.
    std::uniform_real_distribution<float> uniform(k == 1 ? 2.5F : 0.1F, k == 1 ? 3.0F : 1.0F);
    std::vector<float> period(65537);
    for (float& value : period) value = uniform(random);
    for (std::int64_t i = 0; i < floats; ++i) values[i] = period[static_cast<std::size_t>(i % 65537)];
    inputs.push_back(to_device(host, device));
  }
  return inputs;
}

std::vector<Arg> arguments(const Operation& operation, const std::vector<Array>& inputs) {
  std::vector<Arg> args;
  const auto add_scalars = [&] { args.insert(args.end(), operation.scalars.begin(), operation.scalars.end()); };
  if (operation.scalars_first) add_scalars();
  for (const Array& input : inputs) args.emplace_back(input);
  if (!operation.scalars_first) add_scalars();
  return args;
}

}  // namespace kiln::bench

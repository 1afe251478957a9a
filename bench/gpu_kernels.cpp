#include "gpu_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace kiln::bench {
namespace {

using enum DType;

/// A ufunc over contiguous arrays of one dimension. The second input is above the others: b * b > 4 * a * c.
GpuCall elementwise(UfuncDefinition definition, const std::vector<DType>& inputs, DType output, const Device& device,
                    std::int64_t bytes) {
  struct Call {
    Ufunc ufunc;
    std::vector<Array> arrays;
    std::vector<Arg> args;
    CallOptions options;
  };
  const std::int64_t n = std::max<std::int64_t>(bytes / static_cast<std::int64_t>(itemsize(inputs[0])), 1);
  auto call = std::make_shared<Call>(Call{.ufunc = vectorize(std::move(definition))});
  GpuCall made;
  for (const DType dtype : inputs) {
    call->arrays.push_back(varied(device, {n}, dtype, call->arrays.size() == 1 ? 2.5F : 0.1F));
    call->args.emplace_back(call->arrays.back());
    made.bytes += static_cast<double>(call->arrays.back().nbytes());
  }
  call->options.out = device_array({n}, output, device);
  made.bytes += static_cast<double>(n) * static_cast<double>(itemsize(output));
  made.run = [call] { call->ufunc(std::span<const Arg>(call->args), call->options); };
  return made;
}

UfuncDefinition defined(const char* name, const char* signature, const char* body) {
  return {.name = name, .signatures = {signature}, .body = body};
}

template <DType type>
GpuCall add(const Device& device, std::int64_t bytes) {
  return elementwise(defined("add", "T(T a, T b)", "return a + b;"), {type, type}, type, device, bytes);
}

Array square(const Device& device, std::int64_t bytes) {
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(std::max<std::int64_t>(bytes / 4, 1))));
  return varied(device, {side, side}, float32);
}

GpuCall add_transposed(const Device& device, std::int64_t bytes) {
  const Array x = square(device, bytes);
  const Array out = device_array_like(x);
  return {3.0 * static_cast<double>(x.nbytes()), [x, out] { math::add(x.transpose(), x, {.out = out}); }};
}

GpuCall sum(const Device& device, std::int64_t bytes) {
  const Array x = varied(device, {std::max<std::int64_t>(bytes / 4, 1)}, float32);
  const Array out = device_array({}, float32, device);
  return {static_cast<double>(x.nbytes()), [x, out] { math::add.reduce(x, {.out = out}); }};
}

GpuCall sum_axis0(const Device& device, std::int64_t bytes) {
  const Array x = square(device, bytes);
  const Array out = device_array({x.shape()[1]}, float32, device);
  return {static_cast<double>(x.nbytes()), [x, out] { math::add.reduce(x, {.axis = 0, .out = out}); }};
}

GpuCall cumsum(const Device& device, std::int64_t bytes) {
  const Array x = varied(device, {std::max<std::int64_t>(bytes / 4, 1)}, float32);
  const Array out = device_array_like(x);
  return {2.0 * static_cast<double>(x.nbytes()), [x, out] { math::add.accumulate(x, {.out = out}); }};
}

GpuCall matmul4(const Device& device, std::int64_t bytes) {
  const Gufunc product =
      guvectorize({.name = "matmul4",
                   .layout = "(m,k),(k,n)->(m,n)",
                   .signatures = {"void(float32[:,:] A, float32[:,:] B, float32[:,:] C)"},
                   .each = "i:m, j:n",
                   .body = "float32 s = 0; for (index l = 0; l < k; ++l) s += A(i, l) * B(l, j); C(i, j) = s;"});
  const Shape shape{std::max<std::int64_t>(bytes / 64, 1), 4, 4};
  const Array a = varied(device, shape, float32);
  const Array b = varied(device, shape, float32);
  const Array out = device_array(shape, float32, device);
  return {3.0 * static_cast<double>(a.nbytes()), [=] { product({a, b}, {.out = out}); }};
}

template <int inputs>
GpuCall of_floats(const char* name, const Device& device, std::int64_t bytes) {
  return elementwise(gpu_ufunc(name), std::vector<DType>(inputs, float32), float32, device, bytes);
}

GpuCall copy(const Device& device, std::int64_t bytes) {
  return elementwise(defined("copy", "float32(float32 x)", "return x;"), {float32}, float32, device, bytes);
}
GpuCall saxpy(const Device& device, std::int64_t bytes) {
  return of_floats<2>("saxpy", device, bytes);
}
GpuCall discriminant(const Device& device, std::int64_t bytes) {
  return of_floats<3>("discriminant", device, bytes);
}
GpuCall gaussian(const Device& device, std::int64_t bytes) {
  return of_floats<1>("gaussian", device, bytes);
}
GpuCall black_scholes(const Device& device, std::int64_t bytes) {
  return of_floats<3>("black_scholes", device, bytes);
}
GpuCall complex_multiply(const Device& device, std::int64_t bytes) {
  return elementwise(defined("multiply", "T(T a, T b)", "return a * b;"), {complex64, complex64}, complex64, device, bytes);
}
GpuCall less(const Device& device, std::int64_t bytes) {
  return elementwise(defined("less", "bool(T a, T b)", "return a < b;"), {float32, float32}, bool_, device, bytes);
}

constexpr GpuKernel kKernels[] = {
    {"copy", true, copy},
    {"saxpy", true, saxpy},
    {"discriminant", true, discriminant},
    {"gaussian", true, gaussian},
    {"black_scholes", true, black_scholes},
    {"complex_multiply", true, complex_multiply},
    {"add_float16", true, add<float16>},
    {"add_transposed", true, add_transposed},
    {"sum", true, sum},
    {"sum_axis0", true, sum_axis0},
    {"cumsum", true, cumsum},
    {"matmul4", true, matmul4},
    {"add_float64", false, add<float64>},
    {"add_bfloat16", false, add<bfloat16>},
    {"add_int8", false, add<int8>},
    {"less", false, less},
};

}  // namespace

std::span<const GpuKernel> gpu_kernels() {
  return kKernels;
}

UfuncDefinition gpu_ufunc(std::string_view name) {
  if (name == "saxpy") return defined("saxpy", "float32(float32 x, float32 y)", "return 2.5f * x + y;");
  if (name == "discriminant") {
    return defined("discriminant", "float32(float32 a, float32 b, float32 c)", "return sqrt(b * b - 4 * a * c);");
  }
  if (name == "gaussian") {
    return defined("gaussian", "float32(float32 x)", "float32 z = (x - 0.5f) / 1.5f; return exp(-0.5f * z * z) / 3.7599424f;");
  }
  if (name != "black_scholes") throw std::runtime_error("there is no ufunc " + std::string(name));
  return defined("black_scholes", "float32(float32 s, float32 k, float32 t)", R"(
    float32 deviation = 0.3f * sqrt(t);
    float32 d = (log(s / k) + 0.065f * t) / deviation;
    return 0.5f * s * erfc(-0.70710678f * d) - 0.5f * k * exp(-0.02f * t) * erfc(-0.70710678f * (d - deviation));)");
}

Array varied(const Device& device, const Shape& shape, DType dtype, float low) {
  // A period of a prime: a gigabyte of it is made in a fraction of a second.
  constexpr std::int64_t kPeriod = 65537;
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(low, low + 0.9F);
  std::vector<float> values(kPeriod);
  for (float& value : values) value = uniform(random);
  Array period = Array::from(values).astype(dtype);
  if (kind(dtype) == Kind::integer) period = (Array::from(values) * 100).astype(dtype);
  const Array host = Array::empty(shape, dtype);
  const std::int64_t bytes = host.nbytes();
  for (std::int64_t at = 0; at < bytes; at += period.nbytes()) {
    std::memcpy(static_cast<char*>(host.data()) + at, period.data(),
                static_cast<std::size_t>(std::min(period.nbytes(), bytes - at)));
  }
  return to_device(host, device);
}

}  // namespace kiln::bench

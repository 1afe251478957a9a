// The public functions: raw kernels over the functions that bodies have (kernels-src/math/random.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "call/shapes.hpp"
#include "kiln/error.hpp"
#include "kiln/kernel.hpp"
#include "kiln/random.hpp"
#include "kiln/ufunc.hpp"

namespace kiln::random {
namespace {

/// Numbers of a block of 128 bits (numbers_of_block of bodies).
std::int64_t numbers_of_block(DType dtype) {
  return dtype == DType::float32 ? 4 : 2;
}

/// The dtype of the array.
DType chosen_dtype(const char* name, const Options& options, DType first, DType second) {
  const bool of_out = !options.dtype && options.out.valid();
  const DType dtype = of_out ? options.out.dtype() : options.dtype.value_or(second);
  if (dtype == first || dtype == second) return dtype;
  throw TypeError(fmt::format("random::{}: {} is {}, and the numbers are {} or {}: {}", name, of_out ? ".out" : ".dtype",
                              kiln::name(dtype), kiln::name(first), kiln::name(second),
                              of_out ? "give an .out of one of these" : "convert them with astype()"));
}

/// The array that is written: .out, or a new one.
Array target_of(const char* name, const Shape& shape, DType dtype, const Options& options) {
  const Array& out = options.out;
  if (!out.valid()) {
    if (options.device) return device_array(shape, dtype, *options.device);
    return options.stream.is_default() ? Array::empty(shape, dtype) : device_array(shape, dtype, options.stream.device());
  }
  const std::string what = fmt::format("random::{}", name);
  if (out.dtype() != dtype) {
    throw TypeError(fmt::format("{}: .dtype is {}, and .out is {}; give an .out of that dtype", what, kiln::name(dtype),
                                kiln::name(out.dtype())));
  }
  call::check_output(what, *out.rep(), shape, [](std::size_t) { return std::string(".out"); }, 0);
  return out;
}

/// A kernel for arrays of any strides. `number` is that of an element.
Ufunc strided(const std::string& name, const std::string& types, const std::string& parameter, const std::string& number) {
  return vectorize({.name = "random_" + name + "_strided",
                    .signatures = {"(T to)(uint64 seed, uint64 first" + parameter + ") where T: " + types},
                    .body = "const uint64 item = first + uint64(index());\n  to = T(" + number + ");"});
}

void fill_strided(const Ufunc& kernel, const Array& all, const std::vector<Arg>& arguments, const Options& options) {
  kernel(arguments, {.out = all, .stream = options.stream, .device = options.device, .dtype = all.dtype()});
}

/// The kernels of a distribution: by whole blocks, by elements, and by elements with strides.
struct Kernels {
  explicit Kernels(const std::string& name)
      : of_blocks(
            kernel({.name = "random_" + name + "_blocks",
                    .signature = "void(T* to, uint64 seed, uint64 first, constant bool aligned) where T: float32, float64",
                    .body = fmt::format(R"(
  T* const all = aligned ? static_cast<T*>(__builtin_assume_aligned(to, 16)) : to;
  const random_bits bits = philox(seed, (first + item) & (~uint64(0) / numbers_of_block<T>));
  for (int j = 0; j < numbers_of_block<T>; ++j) all[item * numbers_of_block<T> + j] = {}<T>(bits, j);)",
                                        name)})),
        of_elements(kernel({.name = "random_" + name,
                            .signature = "void(T* to, uint64 seed, uint64 first) where T: float32, float64",
                            .body = fmt::format("to[item] = {}<T>(seed, first + item);", name)})),
        of_strided(strided(name, "float32, float64", "", name + "<T>(seed, item)")) {}
  RawKernel of_blocks, of_elements;
  Ufunc of_strided;
};

/// Elements before the first whole block and after the last one have launches of their own.
void fill(const Kernels& kernels, const Array& all, const Options& options) {
  const Array flat = all.reshape({all.size()});
  const std::int64_t block = numbers_of_block(all.dtype());
  const auto counter = [&](std::int64_t at) { return options.offset + static_cast<std::uint64_t>(at); };
  const auto launch_of = [&](std::int64_t items) {
    return LaunchOptions{.size = items, .stream = options.stream, .device = options.device};
  };
  const auto fill_elements = [&](std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    kernels.of_elements(launch_of(end - begin), flat[{Slice{begin, end}}], options.seed, counter(begin));
  };
  const auto into = static_cast<std::int64_t>(options.offset % static_cast<std::uint64_t>(block));
  const std::int64_t first = std::min((block - into) % block, all.size());
  const std::int64_t blocks = (all.size() - first) / block, last = first + blocks * block;
  fill_elements(0, first);
  if (blocks > 0) {
    // A GPU writes a block at once where it may take it for aligned.
    const bool aligned = first == 0;
    kernels.of_blocks(launch_of(blocks), flat[{Slice{first, last}}], options.seed,
                      counter(first) / static_cast<std::uint64_t>(block), aligned);
  }
  fill_elements(last, all.size());
}

Array of_real_numbers(const char* name, const Kernels& kernels, const Shape& shape, const Options& options) {
  const DType dtype = chosen_dtype(name, options, DType::float32, DType::float64);
  Array all = target_of(name, shape, dtype, options);
  if (all.is_c_contiguous()) {
    fill(kernels, all, options);
  } else {
    fill_strided(kernels.of_strided, all, {options.seed, options.offset}, options);
  }
  return all;
}

}  // namespace

Array uniform(const Shape& shape, const Options& options) {
  static const Kernels kernels("uniform");
  return of_real_numbers("uniform", kernels, shape, options);
}

Array normal(const Shape& shape, const Options& options) {
  static const Kernels kernels("normal");
  return of_real_numbers("normal", kernels, shape, options);
}

Array exponential(const Shape& shape, const Options& options) {
  static const Kernels kernels("exponential");
  return of_real_numbers("exponential", kernels, shape, options);
}

Array poisson(double mean, const Shape& shape, const Options& options) {
  static const RawKernel kernel =
      kiln::kernel({.name = "random_poisson",
                    .signature = "void(T* to, uint64 seed, uint64 first, float64 mean) where T: int32, int64",
                    .body = "to[item] = T(poisson(seed, first + item, mean));"});
  static const Ufunc of_strided = strided("poisson", "int32, int64", ", float64 mean", "poisson(seed, item, mean)");
  const DType dtype = chosen_dtype("poisson", options, DType::int32, DType::int64);
  const double most = dtype == DType::int32 ? 0x1p30 : 0x1p60;
  if (!(mean >= 0 && mean <= most)) {
    throw TypeError(fmt::format("random::poisson: the mean is {}, and has to be from 0 to 2^{} for {}", mean,
                                dtype == DType::int32 ? 30 : 60, name(dtype)));
  }
  Array all = target_of("poisson", shape, dtype, options);
  if (!all.is_c_contiguous()) {
    fill_strided(of_strided, all, {options.seed, options.offset, mean}, options);
  } else if (all.size() > 0) {
    kernel({.size = all.size(), .stream = options.stream, .device = options.device}, all, options.seed, options.offset, mean);
  }
  return all;
}

}  // namespace kiln::random

// What both compilers' kernels are to compute: kiln::math, bodies as users write them, and a call of every other kind of
// kernel.
#pragma once

#include <kiln/array.hpp>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace agreement {

/// Some results of one call, or of a few that share their inputs.
struct Job {
  std::vector<std::string> names = {};   ///< one for each result: "sin float32 -> float32"
  std::vector<kiln::Array> inputs = {};  ///< on the host
  bool by_element = true;                ///< an element of a result belongs to the inputs' element of that number
  std::function<std::vector<kiln::Array>(const std::vector<kiln::Array>& on_device)> run = {};
};

/// The same ones in every process.
std::vector<Job> jobs();
/// Those of them that are calls of reductions, methods, gufuncs and raw kernels, or of other layouts and dtypes than the rest.
void add_calls(std::vector<Job>& jobs);

/// Numbers of any size, and as many near 1 as an exponent of a few bits allows.
class Random {
 public:
  explicit Random(std::size_t seed) : engine_(static_cast<std::mt19937_64::result_type>(seed)) {}

  /// Of any bits and near 1 in turn, or all near 1.
  kiln::Array numbers(kiln::DType dtype, int count, bool moderate = false);
  /// In float64, of every size that converts to the integer, up to three quarters of its range.
  kiln::Array in_range_of(kiln::DType integer, int count);

 private:
  std::uint64_t near_1(kiln::DType dtype);

  std::mt19937_64 engine_;
};

}  // namespace agreement

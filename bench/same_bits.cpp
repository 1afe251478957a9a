// What .compile.same_bits costs beside the default: each function of both ways on one array, which take turns.
//   kiln-same-bits [elements] [rounds]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/ufunc.hpp"

namespace {

struct Function {
  const char* name;
  int arguments;
  double least, most;
};
constexpr Function kFunctions[] = {
    {"exp", 1, -20, 20},      {"exp2", 1, -20, 20},      {"expm1", 1, -20, 20},     {"log", 1, 0.001, 1000},
    {"log2", 1, 0.001, 1000}, {"log10", 1, 0.001, 1000}, {"log1p", 1, -0.9, 100},   {"sin", 1, -100, 100},
    {"cos", 1, -100, 100},    {"tan", 1, -100, 100},     {"asin", 1, -1, 1},        {"acos", 1, -1, 1},
    {"atan", 1, -10, 10},     {"sinh", 1, -10, 10},      {"cosh", 1, -10, 10},      {"tanh", 1, -4, 4},
    {"asinh", 1, -10, 10},    {"acosh", 1, 1, 100},      {"atanh", 1, -0.99, 0.99}, {"cbrt", 1, -100, 100},
    {"erf", 1, -4, 4},        {"erfc", 1, -4, 4},        {"tgamma", 1, 0.1, 20},    {"lgamma", 1, 0.1, 20},
    {"j0", 1, -30, 30},       {"j1", 1, -30, 30},        {"y0", 1, 0, 30},          {"y1", 1, 0, 30},
    {"pow", 2, 0.1, 10},      {"hypot", 2, -10, 10},     {"atan2", 2, -10, 10}};

double nanoseconds(const kiln::Ufunc& ufunc, const std::vector<kiln::Arg>& inputs, const kiln::Array& out) {
  const auto begin = std::chrono::steady_clock::now();
  ufunc(inputs, {.out = out});
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  return took.count() / static_cast<double>(out.size());
}
double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  const std::int64_t elements = count > 1 ? std::atoll(arguments[1]) : 100000;
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 101;
  std::printf(
      "| function | float32 ns | / default | spread | float64 ns | / default | spread |\n| --- | --- | --- | --- | --- | --- | "
      "--- |\n");
  for (const Function& function : kFunctions) {
    std::printf("| %s |", function.name);
    for (const bool twice : {false, true}) {
      const std::string type = twice ? "float64" : "float32";
      const std::string signature = type + "(" + type + " x" + (function.arguments == 2 ? ", " + type + " y)" : ")");
      const std::string expression = std::string(function.name) + (function.arguments == 2 ? "(x, y)" : "(x)");
      const kiln::Ufunc usual = kiln::vectorize({.name = "usual", .signatures = {signature}, .expression = expression});
      const kiln::Ufunc same = kiln::vectorize(
          {.name = "same", .signatures = {signature}, .expression = expression, .compile = {.same_bits = true}});
      const kiln::DType dtype = twice ? kiln::DType::float64 : kiln::DType::float32;
      std::vector<kiln::Arg> inputs;
      for (int k = 0; k < function.arguments; ++k) {
        std::vector<double> numbers(static_cast<std::size_t>(elements));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          const std::uint64_t bits = (i + 1) * (k == 0 ? 0x9e3779b97f4a7c15 : 0xd1342543de82ef95);
          numbers[i] = function.least + (function.most - function.least) * static_cast<double>(bits >> 11) * 0x1p-53;
        }
        inputs.emplace_back(kiln::Array::from(numbers).astype(dtype));
      }
      const kiln::Array out = kiln::Array::empty({elements}, dtype);
      nanoseconds(usual, inputs, out);
      nanoseconds(same, inputs, out);
      std::vector<double> times, ratios;
      for (int round = 0; round < rounds; ++round) {
        const double by_default = nanoseconds(usual, inputs, out), ours = nanoseconds(same, inputs, out);
        times.push_back(ours);
        ratios.push_back(ours / by_default);
      }
      const auto [least, most] = std::minmax_element(times.begin(), times.end());
      std::printf(" %.2f | %.2f | %.0f%% |", median(times), median(ratios), 100 * (*most - *least) / median(times));
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

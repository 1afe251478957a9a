// Scalars that are constants of the kernel beside the same scalars as arguments: microseconds of a call on 2^20 float32 or
// int32, the shortest of many, in turn; then nanoseconds of a call on one element.
// usage: kiln-constants [ROUNDS], 8 where it is left out
#include <kiln/kiln.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

using kiln::Array;
using kiln::DType;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kSize = 1 << 20;
constexpr std::int64_t kRow = 1024;

double nanoseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

struct Pair {
  std::string name;
  std::function<void()> argument, constant;
};

/// `parameter`: the declaration of the scalar in the signature, to be qualified.
std::string qualified(std::string signature, const std::string& parameter) {
  return signature.insert(signature.find(parameter), "constant ");
}

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  std::vector<float> values;
  for (std::int64_t i = 0; i < kSize; ++i) values.push_back(0.5F + static_cast<float>(i % 100) * 0.01F);
  const Array x = Array::from(values);
  const Array keys = (x * 1000).astype(DType::int32);
  const auto elementwise = [&](const std::string& name, const std::string& signature, const std::string& parameter,
                               const std::string& body, const Array& input, int value) {
    const kiln::Ufunc argument = kiln::vectorize(signature, body);
    const kiln::Ufunc constant = kiln::vectorize(qualified(signature, parameter), body);
    const Array out = Array::empty({kSize}, input.dtype());
    all.push_back({name, [=] { argument({input, value}, {.out = out}); }, [=] { constant({input, value}, {.out = out}); }});
  };
  elementwise("key % 10", "int32(int32 key, int32 buckets)", "int32 buckets", "return key % buckets;", keys, 10);
  const std::string polynomial =
      "float32 r = 0; for (int32 i = degree; i >= 0; --i) r = r * x + 1.0f / float32(i + 1); return r;";
  for (const int degree : {3, 8}) {
    elementwise("a polynomial of degree " + std::to_string(degree), "float32(float32 x, int32 degree)", "int32 degree",
                polynomial, x, degree);
  }
  elementwise("one of four functions", "float32(float32 x, int32 mode)", "int32 mode",
              "if (mode == 0) return x > 0 ? x : 0; if (mode == 1) return 1 / (1 + exp(-x)); if (mode == 2) return tanh(x); "
              "return x / (1 + fabs(x));",
              x, 0);
  const Array rows = x.reshape({kSize / kRow, kRow});
  for (const int radius : {1, 2, 4}) {
    const std::string signature = "void(float32[:] x, int32 r, float32[:] y)";
    kiln::GufuncDefinition definition{
        .name = "smooth",
        .layout = "(n),()->(n)",
        .signatures = {signature},
        .body =
            "for (index i = 0; i < n; ++i) { float32 s = 0; for (int32 k = -r; k <= r; ++k) s += x(min(max(i + k, "
            "index(0)), n - 1)); y(i) = s / (2 * r + 1); }"};
    const kiln::Gufunc argument = kiln::guvectorize(definition);
    definition.signatures = {qualified(signature, "int32 r")};
    const kiln::Gufunc constant = kiln::guvectorize(definition);
    const Array out = Array::empty(rows.shape(), DType::float32);
    all.push_back({"a moving average of radius " + std::to_string(radius), [=] { argument({rows, radius}, {.out = out}); },
                   [=] { constant({rows, radius}, {.out = out}); }});
  }
  const std::string sum = "float64(float32 x, int32 n)";
  kiln::ReductionDefinition definition{.name = "sum_of_powers",
                                       .signatures = {sum},
                                       .map = "float32 r = 1; for (int32 i = 0; i < n; ++i) r *= x; return r;",
                                       .reduce = "return a + b;",
                                       .identity = "0"};
  const kiln::Reduction argument = kiln::reduction(definition);
  definition.signatures = {qualified(sum, "int32 n")};
  const kiln::Reduction constant = kiln::reduction(definition);
  all.push_back({"a sum of cubes", [=] { argument({x, 3}); }, [=] { constant({x, 3}); }});
  return all;
}

double shortest(const std::function<void()>& call, int calls) {
  double best = 1e18;
  for (int i = 0; i < calls; ++i) {
    const auto begin = Clock::now();
    call();
    best = std::min(best, nanoseconds_since(begin));
  }
  return best;
}

/// Nanoseconds of a call on one element, on average over the fastest of several series.
double call_cost(const std::function<void()>& call) {
  constexpr int kCalls = 2000;
  return shortest(
             [&] {
               for (int i = 0; i < kCalls; ++i) call();
             },
             40) /
         kCalls;
}

void print_call_costs() {
  const std::string body = "return x * n;";
  const kiln::Ufunc argument = kiln::vectorize("float32(float32 x, float32 n)", body);
  const kiln::Ufunc constant = kiln::vectorize("float32(float32 x, constant float32 n)", body);
  kiln::UfuncDefinition definition;
  definition.signatures = {"float32(float32 x, constant float32 n)"};
  definition.body = body;
  definition.compile.constant_variants = 0;
  const kiln::Ufunc beyond = kiln::vectorize(definition);
  const Array x = Array::full({1}, 2.0F);
  const kiln::CallOptions options{.out = Array::empty({1}, DType::float32)};
  for (int value = 15; value >= 0; --value) constant(x, static_cast<float>(value));
  std::printf(
      "a call on one element, ns: argument %.0f, constant %.0f, the value made first of 16 %.0f, beyond the limit %.0f\n",
      call_cost([&] { argument({x, 3.0F}, options); }), call_cost([&] { constant({x, 0.0F}, options); }),
      call_cost([&] { constant({x, 15.0F}, options); }), call_cost([&] { beyond({x, 3.0F}, options); }));
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::max(1, std::atoi(arguments[1])) : 8;
  std::printf("%-32s %10s %10s %8s\n", "", "argument", "constant", "times");
  for (const Pair& pair : pairs()) {
    double argument = 1e18;
    double constant = 1e18;
    for (int round = 0; round < rounds; ++round) {
      argument = std::min(argument, shortest(pair.argument, 10));
      constant = std::min(constant, shortest(pair.constant, 10));
    }
    std::printf("%-32s %10.0f %10.0f %8.2f\n", pair.name.c_str(), argument / 1e3, constant / 1e3, argument / constant);
  }
  print_call_costs();
}

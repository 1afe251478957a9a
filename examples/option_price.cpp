// Prices of call options by Monte Carlo, against Black and Scholes' formula: random numbers that are made where they are used,
// the same ones on every device.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <numbers>
#include <vector>

namespace {

constexpr double kPrice = 100, kRate = 0.03, kVolatility = 0.2, kYears = 2;

double by_formula(double strike) {
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  const double spread = kVolatility * std::sqrt(kYears);
  const double d = (std::log(kPrice / strike) + kRate * kYears) / spread + spread / 2;
  return kPrice * below(d) - strike * std::exp(-kRate * kYears) * below(d - spread);
}

}  // namespace

int main() {
  // Path i of every strike ends at the same price, as its random number depends on the seed and i alone.
  const auto payoff = kiln::reduction({
      .name = "payoff",
      .signatures = {"(float64 sum, float64 squares)(float64 strike)"},
      .accumulator = "float64 sum, squares;",
      .map = R"(
        const float64 end = 100 * exp((0.03 - 0.5 * 0.2 * 0.2) * 2 + 0.2 * sqrt(2.0) * normal(42, i));
        const float64 gain = exp(-0.03 * 2) * fmax(end - strike, 0);
        return {gain, gain * gain};)",
      .reduce = "return {a.sum + b.sum, a.squares + b.squares};",
      .post = "sum = a.sum; squares = a.squares;",
      .identity = "{0, 0}",
  });

  constexpr std::int64_t paths = 1'000'000;
  const std::vector<double> strikes = {80, 100, 120};
  const kiln::Array each = kiln::Array::from(strikes, kiln::Shape{3, 1}).broadcast_to({3, paths});
  const auto [sum, squares] = payoff.outputs<2>({each}, {.axis = 1});
  const auto sums = sum.to_vector<double>(), sums_of_squares = squares.to_vector<double>();
  for (std::size_t k = 0; k < strikes.size(); ++k) {
    const double price = sums[k] / paths, formula = by_formula(strikes[k]);
    const double error = std::sqrt((sums_of_squares[k] / paths - price * price) / paths);
    std::cout << "strike " << strikes[k] << ": " << price << " +- " << error << ", by the formula " << formula << "\n";
    if (!(std::abs(price - formula) <= 4 * error && error < 0.05)) {
      std::cerr << "the price is wrong\n";
      return 1;
    }
  }
  std::cout << "call options by " << paths << " paths, checked\n";
}

// How a cost grows with a number: points, and the exponent of the power that fits them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace growth {

struct Point {
  double size = 0;
  double cost = 0;
};

struct Curve {
  std::string name;                ///< what is done: "bundle, import"
  std::string of;                  ///< what there are many of: "entries"
  std::string unit;                ///< of a cost: "ms"
  double most = 1;                 ///< the exponent that is allowed; a linear cost has 1, one that stays has 0
  std::vector<Point> points = {};  ///< by ascending size
};

/// The slope of the least squares through the points' logarithms.
[[nodiscard]] double exponent(const std::vector<Point>& points);

/// Whether the exponent is at most what the curve allows.
[[nodiscard]] bool holds(const Curve& curve);

/// Takes the lesser cost of each point. Both have the same curves, of the same sizes.
void lower(std::vector<Curve>& curves, const std::vector<Curve>& again);

/// Prints the points and the exponent, and returns holds().
bool report(const Curve& curve);

/// Milliseconds of the process's processor time: the least of `times` runs. `prepare` is not timed.
[[nodiscard]] double least_ms(int times, const std::function<void()>& work, const std::function<void()>& prepare = [] {});
/// Nanoseconds of one of `count` runs, the least of several rounds.
[[nodiscard]] double least_ns(int count, const std::function<void()>& work);

/// The sizes up to a bound.
[[nodiscard]] std::vector<int> up_to(std::vector<int> sizes, int most);

/// How much is measured: in a check few sizes, which tell the exponents.
enum class Effort { check, full };

[[nodiscard]] std::vector<Curve> array_curves(Effort effort);
[[nodiscard]] std::vector<Curve> call_curves(Effort effort);
[[nodiscard]] std::vector<Curve> cache_curves(Effort effort);
[[nodiscard]] std::vector<Curve> kernel_curves(Effort effort);

}  // namespace growth

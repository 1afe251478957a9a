#include "growth/curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <limits>

namespace growth {
namespace {

double processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

}  // namespace

double exponent(const std::vector<Point>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const Point& point : points) {
    const double size = std::log(point.size);
    const double cost = std::log(std::max(point.cost, std::numeric_limits<double>::min()));
    x += size;
    y += cost;
    xx += size * size;
    xy += size * cost;
  }
  const auto count = static_cast<double>(points.size());
  return (count * xy - x * y) / (count * xx - x * x);
}

bool holds(const Curve& curve) {
  return exponent(curve.points) <= curve.most;
}

void lower(std::vector<Curve>& curves, const std::vector<Curve>& again) {
  for (std::size_t curve = 0; curve < curves.size(); ++curve) {
    std::vector<Point>& points = curves[curve].points;
    for (std::size_t point = 0; point < points.size(); ++point) {
      points[point].cost = std::min(points[point].cost, again[curve].points[point].cost);
    }
  }
}

bool report(const Curve& curve) {
  std::printf("%s, %s by %s:", curve.name.c_str(), curve.unit.c_str(), curve.of.c_str());
  for (const Point& point : curve.points) std::printf("  %g: %.4g", point.size, point.cost);
  std::printf("\n  exponent %.2f, allowed %.2f%s\n", exponent(curve.points), curve.most,
              holds(curve) ? "" : "  GROWS TOO FAST");
  std::fflush(stdout);
  return holds(curve);
}

double least_ms(int times, const std::function<void()>& work, const std::function<void()>& prepare) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    prepare();
    const double start = processor_ns();
    work();
    least = std::min(least, (processor_ns() - start) / 1e6);
  }
  return least;
}

double least_ns(int count, const std::function<void()>& work) {
  constexpr int kRounds = 25;
  work();
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    const double start = processor_ns();
    for (int i = 0; i < count; ++i) work();
    least = std::min(least, (processor_ns() - start) / count);
  }
  return least;
}

std::vector<int> up_to(std::vector<int> sizes, int most) {
  std::erase_if(sizes, [most](int size) { return size > most; });
  return sizes;
}

}  // namespace growth

// Prints how costs grow: with the number of kernels, of dtype pairs, of axes, of entries.
//
// usage: kiln-growth [--check] [PART...]
//
// PART is arrays, calls, cache or kernels; all by default. --check measures few sizes, and fails where an exponent is more than
// allowed. Processor time counts, since exponents hold on a busy machine and times do not. The speed of a shared machine can
// change between two sizes: a part with too high an exponent is measured again, and the least of all its measurements counts.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "growth/curve.hpp"

int main(int count, char** arguments) {
  using namespace growth;
  const std::vector<std::pair<std::string, std::function<std::vector<Curve>(Effort)>>> parts{
      {"arrays", array_curves}, {"calls", call_curves}, {"cache", cache_curves}, {"kernels", kernel_curves}};
  Effort effort = Effort::full;
  std::vector<std::string> wanted;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--check") {
      effort = Effort::check;
    } else {
      wanted.push_back(argument);
    }
  }
  constexpr int kMostMeasurements = 5;
  bool good = true;
  const bool all = wanted.empty();
  for (const auto& [name, curves] : parts) {
    if (!all && std::erase(wanted, name) == 0) continue;
    std::vector<Curve> measured = curves(effort);
    for (int again = 0; again < kMostMeasurements - 1 && !std::ranges::all_of(measured, holds); ++again) {
      lower(measured, curves(effort));
    }
    for (const Curve& curve : measured) good = report(curve) && good;
  }
  for (const std::string& name : wanted) std::fprintf(stderr, "there is no part \"%s\"\n", name.c_str());
  return good && wanted.empty() ? 0 : 1;
}

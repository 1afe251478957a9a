// The generalized ufuncs that are measured, with the plain loop of each. All are float32.
#pragma once

#include <kiln/kiln.hpp>
#include <span>
#include <string>
#include <vector>

namespace kiln::bench {

struct MeasuredGufunc {
  std::string name;
  std::vector<Shape> cores;  ///< of each input
  Gufunc gufunc;
  void (*plain)(const float* a, const float* b, float* out, std::int64_t items);
};

std::span<const MeasuredGufunc> gufuncs();

}  // namespace kiln::bench

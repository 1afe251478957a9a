// The files that ../golden/make_math.py writes; the script says what the lines mean.
#pragma once

#include <kiln/array.hpp>

#include <map>
#include <string>
#include <vector>

namespace math_tests {

/// Elements as bits, two words for a complex number.
using Bits = std::vector<std::uint64_t>;

struct InputSet {
  kiln::DType dtype;
  kiln::Array values;  ///< on the host
};

/// One loop of a function with its results.
struct Case {
  std::string function;
  std::vector<kiln::DType> inputs, outputs;
  std::string mode;  ///< "exact", "ulp", "norm", "scaled"
  double tolerance = 0;
  std::vector<std::string> sets;
  std::vector<Bits> results;
  std::string text;  ///< "hypot float32,float32 -> float32"
};

struct Values {
  std::map<std::string, InputSet> sets;
  std::vector<Case> cases;
};

/// Reads values.txt; std::runtime_error where that fails.
const Values& values();

/// A line of dtypes.txt.
struct Dtypes {
  std::string function;
  std::vector<kiln::DType> inputs, outputs;
};
std::vector<Dtypes> dtypes();

}  // namespace math_tests

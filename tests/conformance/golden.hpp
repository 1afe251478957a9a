// The golden files that golden/make_golden.py writes with NumPy.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "devices.hpp"
#include "support/sample.hpp"
#include "values.hpp"

namespace kiln {
class Error;
}  // namespace kiln

namespace conformance {

/// One case: blank-separated fields.
struct Golden {
  std::string text;
  std::vector<std::string> fields;
  /// A field of comma-separated numbers; "-" is none.
  [[nodiscard]] std::vector<std::int64_t> numbers(std::size_t field) const;
  /// A field that is a shape: "3,4", "()".
  [[nodiscard]] std::vector<std::int64_t> extents(std::size_t field) const;
};

/// Comma-separated values, complex ones as re:im; "-" is none.
std::vector<Exact> values_in(const std::string& text);

/// The cases of a file in golden/. Throws std::runtime_error where it cannot be read.
std::vector<Golden> golden(const std::string& file);

/// Of cases that are many, and compile a kernel each, one in so many runs: KILN_TEST_ONE_IN, 1 where that is not set.
/// With KILN_TEST_BIG=1 sixteen times as many run. Sample::turn() says which one is the first: so many turns make them all.
std::size_t one_in();

/// Combinations of which all run where KILN_TEST_ONE_IN is not set, and else a third, other ones in each turn.
kiln::test::Sample sample_of_combinations();

/// Those for a target: all. Most of them compile a kernel: with KILN_TEST_ONE_IN=16 it is one in 16, other ones in each mode.
std::vector<Golden> golden(const std::string& file, const Target& target);

/// Each in one of the modes: a device's are all of them.
std::vector<Golden> golden_in_turn(const std::string& file, const Target& target);

/// Whether kiln found the call itself wrong. A kernel that did not compile, a device or a cache that failed are no such answer.
bool is_refusal(const kiln::Error& error);

/// Whether the call throws one of these.
bool is_refused(const std::function<void()>& call);

/// "int32" to its value.
inline kiln::DType dtype_named(const std::string& name) {
  return kiln::dtype_from_name(name);
}

}  // namespace conformance

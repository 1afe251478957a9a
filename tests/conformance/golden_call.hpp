// A line of golden/calls.txt as a call of kiln::math.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "devices.hpp"
#include "golden.hpp"

namespace conformance {

/// "int32/3,4/1,-2/1,0/5": a C-ordered base whose axes are stepped, reversed or repeated, then put in another order.
struct GoldenOperand {
  kiln::DType dtype;
  kiln::Shape shape;
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> order;
  std::int64_t seed;

  static GoldenOperand parse(const std::string& text);
  /// A fresh base on the target, and the view into it.
  [[nodiscard]] kiln::Array make(const Target& target) const;
};

/// A result that NumPy gave.
struct GoldenResult {
  kiln::DType dtype;
  kiln::Shape shape;
  std::vector<Exact> values;
};

struct GoldenCall {
  std::string text;
  std::string method;
  std::string ufunc;
  std::map<std::string, std::string> fields;
  std::vector<GoldenResult> results;  ///< none: an error

  static GoldenCall parse(const std::string& text);
  [[nodiscard]] bool has(const std::string& field) const { return fields.contains(field); }
  [[nodiscard]] std::vector<std::int64_t> numbers(const std::string& field) const;
};

/// Checks that `make_call` gives what NumPy gave: the results, or an error that leaves all outputs `untouched`.
void check_golden(const GoldenCall& call, const Target& target, const std::function<std::vector<kiln::Array>()>& make_call,
                  const std::function<bool()>& untouched);

kiln::Casting casting_named(const std::string& text);

/// The numbers of "1,2,-3"; "-" is none.
std::vector<std::int64_t> golden_numbers(const std::string& text);

}  // namespace conformance

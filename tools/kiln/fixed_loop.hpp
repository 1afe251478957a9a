// The dtypes of a kernel, for calls that have only numbers: those take the parameters' dtypes, where the library's rule for C++
// scalars would ask for the dtypes of the C++ types. Type variables have the dtypes of their numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/dtype.hpp"
#include "scalar_text.hpp"

namespace kiln::tool {

struct FixedLoop {
  std::vector<DType> inputs;
  std::vector<DType> outputs;

  /// As CallOptions::signature wants it: "float32, float32 -> float32".
  [[nodiscard]] std::string text() const;
  /// The number as an unsigned one where the parameter is unsigned: no cast from a signed one would be allowed.
  [[nodiscard]] Scalar suited(const Scalar& scalar, std::size_t input) const;
};

/// Reads a signature that the library has already accepted, "float32(float32 a, T)", of as many inputs as there are numbers.
/// Nothing where all inputs are type variables: the library's rule will do.
std::optional<FixedLoop> fixed_loop(std::string_view signature, std::span<const Scalar> numbers);

}  // namespace kiln::tool

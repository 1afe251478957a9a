// The operations that are measured, each as a kiln ufunc and as plain loops.
#pragma once

#include <kiln/kiln.hpp>
#include <span>
#include <string>
#include <vector>

#include "plain_loops.hpp"

namespace kiln::bench {

struct Operation {
  std::string name;
  int arrays;                  ///< inputs that are arrays
  std::vector<float> scalars;  ///< inputs that are scalars
  bool scalars_first;          ///< whether they come before the arrays
  DType dtype;
  Ufunc ufunc;
  PlainLoop plain;
  PlainLoop plain_nt;
};

std::span<const Operation> operations();

/// Inputs with values that every operation is defined for.
std::vector<Array> make_inputs(const Operation& operation, std::int64_t n, const Device& device);

/// The call's arguments in order.
std::vector<Arg> arguments(const Operation& operation, const std::vector<Array>& inputs);

}  // namespace kiln::bench

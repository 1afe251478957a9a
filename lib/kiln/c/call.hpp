// The parts of a C call, for those who run it and those who plan it.
#pragma once

#include <cstddef>

#include "c/call_options.hpp"
#include "c/function.hpp"
#include "c/operands.hpp"
#include "kiln/c/kiln.h"
#include "kiln/kernel.hpp"

namespace kiln::c {

struct Call {
  kiln_arg* outputs;
  std::size_t nout;
  const kiln_arg* inputs;
  std::size_t nin;
};

[[nodiscard]] Operands operands_of(const Call& call, const Options& options);

/// @name The options of each kind of function. Throw ArgumentError for one that the kind does not have. The result refers to
/// `operands`.
/// @{
[[nodiscard]] CallOptions ufunc_options(const Ufunc& f, Operands& operands, const Options& options);
[[nodiscard]] GufuncOptions gufunc_options(const Gufunc& f, Operands& operands, const Options& options);
[[nodiscard]] ReductionOptions reduction_options(const Reduction& f, Operands& operands, const Options& options);
[[nodiscard]] LaunchOptions launch_options(const RawKernel& f, const Options& options);
/// @}

/// Returns the function. Throws ArgumentError for a method that it does not have.
[[nodiscard]] const kiln_function& function_of(const kiln_function* function, const Options& options);

}  // namespace kiln::c

// Reductions in CuPy's notation: the texts of cupy.ReductionKernel. docs/cupy.md has the rules, and what is not there.
#pragma once

#include <string>
#include <vector>

#include "kiln/compile_options.hpp"
#include "kiln/export.hpp"
#include "kiln/reduction.hpp"

namespace kiln::cupy {

/// The arguments of cupy.ReductionKernel. Members are to be named: designated initializers in this order.
struct ReductionDefinition {
  std::string in_params = {};             ///< "T x, T y"; a letter is a type variable
  std::string out_params = {};            ///< "T z", one or several
  std::string map_expr = {};              ///< C++ expression of one element of each input; `_j` is its number
  std::string reduce_expr = {};           ///< C++ expression that combines `a` and `b`: "a + b"
  std::string post_map_expr = {};         ///< C++ statements that assign the outputs from `a`: "z = sqrt(a)"
  std::string identity = {};              ///< C++ expression of the neutral element
  std::string name = "reduce_kernel";     ///< a C++ identifier; shown in errors
  std::string reduce_type = {};           ///< type of `a` and `b`: empty, or that of the first output
  std::string preamble = {};              ///< declarations before the kernel
  std::vector<std::string> options = {};  ///< options of CUDA's compiler, as those of kiln::cupy::elementwise()
  bool reduce_dims = true;                ///< has no effect: kiln always merges axes
  CompileOptions compile = {};            ///< further options of the compile
};

/// Returns the function as a reduction, which by default reduces all axes, as in CuPy.
///
/// Throws SignatureError for parameters, a name or an option that cannot be read. Throws CompileError for texts whose brackets
/// do not close. Throws SignatureError for what CuPy has beyond this:
/// - raw parameters, `_i`, `_J`, `_in_ind` and `_out_ind`
/// - a `reduce_type` that is not the type of the first output
/// - a `post_map_expr` that reads inputs, or outputs before it assigns them
[[nodiscard]] KILN_API Reduction reduction(ReductionDefinition definition);

}  // namespace kiln::cupy

// Reductions in CuPy's notation: the texts of cupy.ReductionKernel, unchanged. docs/cupy.md has the rules.
#pragma once

#include <string>
#include <vector>

#include "kiln/compile_options.hpp"
#include "kiln/export.hpp"
#include "kiln/reduction.hpp"

namespace kiln::cupy {

/// The arguments of cupy.ReductionKernel. Members are to be named: designated initializers in this order.
struct ReductionDefinition {
  std::string in_params = {};             ///< "T x, raw float32 table"; a letter is a type variable
  std::string out_params = {};            ///< "T z", one or several
  std::string map_expr = {};              ///< C++ expression of one element of each input
  std::string reduce_expr = {};           ///< C++ expression that combines `a` and `b`: "a + b"
  std::string post_map_expr = {};         ///< C++ statements that assign the outputs from `a`: "z = sqrt(a)"
  std::string identity = {};              ///< C++ expression, combined with the elements; empty: there is none
  std::string name = "reduce_kernel";     ///< a C++ identifier; shown in errors
  std::string reduce_type = {};           ///< C++ type of `a` and `b`; empty: that of the first output
  std::string preamble = {};              ///< declarations before the kernel
  std::vector<std::string> options = {};  ///< options of CUDA's compiler, as those of kiln::cupy::elementwise()
  bool reduce_dims = true;                ///< has no effect: kiln always merges axes
  CompileOptions compile = {};            ///< further options of the compile
};

/// Returns the function as a reduction, which by default reduces all axes, as in CuPy. It combines elements in any order. An
/// output that post_map_expr reads begins as what its array in .out holds, a fresh one as 0.
///
/// Throws SignatureError for parameters, a name or an option that cannot be read, and for a text that reads what is not there
/// where it is computed. Throws CompileError for texts whose brackets do not close.
[[nodiscard]] KILN_API Reduction reduction(ReductionDefinition definition);

}  // namespace kiln::cupy

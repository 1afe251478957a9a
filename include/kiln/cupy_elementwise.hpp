// Elementwise kernels in CuPy's notation: the texts of cupy.ElementwiseKernel, unchanged, on every device. docs/cupy.md has the
// rules.
#pragma once

#include <string>
#include <vector>

#include "kiln/compile_options.hpp"
#include "kiln/export.hpp"
#include "kiln/ufunc.hpp"

namespace kiln::cupy {

/// The arguments of cupy.ElementwiseKernel. Members are to be named: designated initializers in this order.
struct ElementwiseDefinition {
  std::string in_params = {};             ///< "T x, raw float32 table"; a letter is a type variable
  std::string out_params = {};            ///< "T y, raw int32 counts"
  std::string operation = {};             ///< C++ statements for one element; `continue` and `return` end it
  std::string name = "kernel";            ///< a C++ identifier; shown in errors
  std::string preamble = {};              ///< declarations before the kernel
  std::string loop_prep = {};             ///< statements before the operation, once for each element
  std::string after_loop = {};            ///< statements after it, once for each element
  std::vector<std::string> options = {};  ///< "-D NAME=VALUE", "-I FOLDER", "--use_fast_math", "-fmad=false", "-std=…", "-w"
  bool reduce_dims = true;                ///< has no effect: kiln always merges axes
  bool return_tuple = false;              ///< has no effect: a call says how many results it wants
  bool no_return = false;                 ///< has no effect
  CompileOptions compile = {};            ///< further options of the compile
};

/// Returns the function as a ufunc: outputs go to .out, and the number of elements of a call of raw arrays alone is .size. An
/// output that is given begins as what its array holds. A fresh one begins as 0.
///
/// Throws SignatureError for parameters, a name or an option that cannot be read, CompileError for texts whose brackets do not
/// close.
[[nodiscard]] KILN_API Ufunc elementwise(ElementwiseDefinition definition);

}  // namespace kiln::cupy

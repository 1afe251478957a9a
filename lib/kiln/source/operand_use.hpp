// How bodies of generalized ufuncs and raw kernels use their operands, as far as their tokens tell: a misuse that is sure is
// reported in the user's words before any compiler is asked. Texts with macros, and names that the body may declare itself, are
// left to the compilers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "source/user_text.hpp"

namespace kiln::codegen {

/// An operand of a generalized ufunc in the body, or a view or scalar of a raw kernel.
struct ViewUse {
  std::string name = {};                  ///< empty: the body has none
  std::vector<std::string> extents = {};  ///< of each index its core dimension's name or number, empty where it has none
  bool output = false;                    ///< may be written
  bool floating = false;                  ///< in every loop
  std::string pointer = {};               ///< of a raw kernel's view how it is declared as a pointer, "float32* x"
};

/// `dimensions` are the names that the body has for sizes and indices. Throws CompileError where a body uses an operand as it
/// cannot: with another number of indices, a floating or a negative one, a core as a number, a member that views do not have;
/// or where it writes to an input.
void check_views(const UserText& text, std::span<const ViewUse> operands, std::span<const std::string> dimensions);

/// The same for a raw kernel, whose arrays are views or pointers.
struct ArrayUse {
  std::string name = {};
  std::string type = {};  ///< as in the signature: "float32", "T"
  bool array = false;     ///< else a number
  bool read_only = false;
  int dimensions = 0;  ///< of a view; 0: a pointer, or a number
};
void check_arrays(const UserText& text, std::span<const ArrayUse> parameters);

}  // namespace kiln::codegen

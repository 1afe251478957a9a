// Type signatures of ufuncs: "float32(float32 a, float32 b)", "(int32 q, int32 r)(int32 a, int32 b)",
// "T(T x, T y) where T: float32, float64", and of generalized ufuncs: "void(float32[:,:] A, float32 x, float32[:] y)".
// Text to value; every error has its place in the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/dtype.hpp"

namespace kiln::signature {

struct Layout;

/// A dtype, or one of the signature's type variables.
struct Type {
  std::optional<DType> dtype;
  std::size_t variable = 0;  ///< index into TypeSignature::variables where dtype is absent
};

struct Parameter {
  Type type;
  std::string name;          ///< empty where the text gives none
  std::size_t position = 0;  ///< of the name (of the type where there is none) in the text
  bool constant = false;     ///< an input, "constant int32 n": its value is part of the kernel
  bool raw = false;          ///< "raw float32 table": an array that is not broadcast, seen whole by each element
  bool inout = false;        ///< an output, "inout float32 y": each element is read first
  int dimensions = 0;        ///< "[:,:]" of a generalized ufunc: 2; 0 is a scalar in the body
};

struct TypeVariable {
  std::string name;
  std::vector<DType> choices;  ///< in order of preference; empty: any dtype, by promotion
};

struct TypeSignature {
  std::vector<Parameter> inputs;
  std::vector<Parameter> outputs;
  bool named_outputs = false;  ///< written as a parenthesized list: assigned by name, not returned
  bool outputs_last = false;   ///< a gufunc's: "void(inputs, outputs)"
  std::vector<TypeVariable> variables;
  std::string text;
};

/// A whole kernel in one string: eval's form.
struct KernelText {
  TypeSignature signature;  ///< its text has no kernel name
  std::string name;
  std::string body;  ///< what stands between the braces, or after '='
  bool expression = false;
};

/// SignatureError with the position where the text is no signature.
TypeSignature parse(std::string_view text);
/// The same for CuPy's notation: there may be no outputs, and names like "_A", which C++ leaves to compilers.
TypeSignature parse_of_cupy(std::string_view text);
KernelText parse_kernel(std::string_view text);

/// A generalized ufunc's: "void(…)", whose last parameters are its outputs, each with as many dimensions as the layout gives
/// it. An operand of no core dimensions may also be written with one dimension: a view of one element.
TypeSignature parse(std::string_view text, const Layout& layout);
/// "void mm(float32[:,:] A, float32[:,:] B, float32[:,:] C) { … }"; never an expression.
KernelText parse_kernel(std::string_view text, const Layout& layout);

}  // namespace kiln::signature

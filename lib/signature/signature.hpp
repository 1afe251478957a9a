// Type signatures of ufuncs: "float32(float32 a, float32 b)", "(int32 q, int32 r)(int32 a, int32 b)",
// "T(T x, T y) where T: float32, float64". Text to value; every error has its place in the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/dtype.hpp"

namespace kiln::signature {

/// A dtype, or one of the signature's type variables.
struct Type {
  std::optional<DType> dtype;
  std::size_t variable = 0;  ///< index into TypeSignature::variables where dtype is absent
};

struct Parameter {
  Type type;
  std::string name;          ///< empty where the text gives none
  std::size_t position = 0;  ///< of the name (of the type where there is none) in the text
};

struct TypeVariable {
  std::string name;
  std::vector<DType> choices;  ///< in order of preference; empty: any dtype, by promotion
};

struct TypeSignature {
  std::vector<Parameter> inputs;
  std::vector<Parameter> outputs;
  bool named_outputs = false;  ///< written as a parenthesized list: assigned by name, not returned
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
KernelText parse_kernel(std::string_view text);

}  // namespace kiln::signature

// A kernel that calls every function that bodies have of <cmath>.
#pragma once

#include <string>

#include "compiler/compiler.hpp"
#include "kernel/elementwise/spec.hpp"
#include "kernel/spec.hpp"

namespace kiln::test {

inline std::string body_of_all_functions(const std::string& type) {
  std::string text = type + " s = 0; int e = 0; " + type + " w = 0;\n";
  for (const char* name :
       {"sqrt", "exp",  "exp2", "expm1",  "log",    "log2",  "log10", "log1p",  "cbrt",   "sin",   "cos",      "tan",   "asin",
        "acos", "atan", "sinh", "cosh",   "tanh",   "asinh", "acosh", "atanh",  "floor",  "ceil",  "trunc",    "round", "rint",
        "fabs", "erf",  "erfc", "tgamma", "lgamma", "logb",  "ilogb", "lround", "llrint", "rsqrt", "nearbyint"}) {
    text += "s += " + std::string(name) + "(a);\n";
  }
  for (const char* name : {"atan2", "hypot", "pow", "fmod", "remainder", "fmin", "fmax", "copysign", "nextafter", "fdim"}) {
    text += "s += " + std::string(name) + "(a, b);\n";
  }
  return text + "s += fma(a, b, s) + ldexp(a, 3) + frexp(b, &e) + modf(a, &w);\nreturn s + e + w;";
}

struct Body {
  std::string text;
  DType dtype = DType::float32;
  std::string functions = {};
};

/// The elementwise kernel of a body of two operands, a and b.
inline backend::CompileRequest request_of(const Body& body, DeviceKind kind) {
  codegen::UserText text{.name = "body", .body = body.text, .input_names = {"a", "b"}};
  text.functions = body.functions;
  kinds::ElementwiseSpec spec;
  spec.inputs = {{body.dtype, body.dtype, kinds::Access::contiguous}, {body.dtype, body.dtype, kinds::Access::contiguous}};
  spec.outputs = {{body.dtype, body.dtype, kinds::Access::contiguous}};
  backend::CompileRequest made{.name = "body", .context = body.text};
  made.source = kinds::render(text, spec, kind);
  made.headers = codegen::resolve_includes({{"body", made.source}}, {}, {});
  return made;
}

inline backend::CompileRequest request_of_all_functions(DType dtype, DeviceKind kind) {
  return request_of({body_of_all_functions(dtype == DType::float64 ? "float64" : "float32"), dtype}, kind);
}

}  // namespace kiln::test

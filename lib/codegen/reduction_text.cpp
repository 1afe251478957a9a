#include "codegen/reduction_text.hpp"

#include <fmt/format.h>

#include "codegen/kernel_text.hpp"

namespace kiln::codegen {
namespace {

bool is_half(DType dtype) {
  return dtype == DType::float16 || dtype == DType::bfloat16;
}

}  // namespace

std::string reduction_members(const ReductionSpec& spec) {
  const DType loop = spec.inputs.front().compute;
  const OperandSpec& output = spec.outputs.front();
  // Halves are accumulated as float, and rounded at the end.
  std::string text = fmt::format("  using accumulator = {};\n", body_type(loop));
  text += fmt::format("  static constexpr bool has_identity = {};\n  static constexpr bool masked = {};\n", spec.identity,
                      spec.masked);
  if (spec.identity) {
    text += "  static KILN_FN accumulator identity() { return convert<accumulator>(user::kiln_identity()); }\n";
  }
  text += fmt::format(
      "  static KILN_FN accumulator combine(const accumulator& a, const accumulator& b) {{\n"
      "    {} r{{}};\n    operation(r, a, b);\n    return accumulator(r);\n  }}\n",
      is_half(loop) ? "unrounded" : type_name(loop));
  text += fmt::format("  static KILN_FN accumulator mapped(const {}& x) {{ return {}; }}\n",
                      stored_name(spec.inputs.front().storage), loaded(spec.inputs.front(), "x"));
  text += fmt::format("  static KILN_FN void post(const accumulator& a, {}& y) {{ y = {}; }}\n", stored_name(output.storage),
                      stored(output, is_half(loop) ? type_name(loop) + "(a)" : "a"));
  return text;
}

}  // namespace kiln::codegen

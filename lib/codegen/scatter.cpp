// The kernel of Ufunc::at: one application of the operation to an element in memory. Walking is kernels-src/scatter_*.hpp's.
#include <fmt/format.h>

#include "codegen/kernel_text.hpp"

namespace kiln::codegen {
namespace {

/// "work", with apply(a, b): a = f(a, b) in memory.
std::string work(const ScatterSpec& spec) {
  const OperandSpec result{spec.target.storage, spec.result};
  const std::string value = spec.value ? stored_name(spec.value->storage) : "uint8";
  return fmt::format(
      "struct work {{\n  using target = {};\n  using value = {};\n"
      "  KILN_FN static void apply(target& a, const value&{}) {{\n"
      "    {} r0{{}};\n    operation(r0, {}{});\n    a = {};\n  }}\n}};\n",
      stored_name(spec.target.storage), value, spec.value ? " b" : "", type_name(spec.result), loaded(spec.target, "a"),
      spec.value ? ", " + loaded(*spec.value, "b") : "", stored(result, "r0"));
}

}  // namespace

Operation operation_of(const ScatterSpec& spec) {
  Operation operation{.inputs = {spec.target.compute}, .outputs = {spec.result}};
  if (spec.value) operation.inputs.push_back(spec.value->compute);
  return operation;
}

std::vector<DType> storage_of(const ScatterSpec& spec) {
  std::vector<DType> dtypes{spec.target.storage};
  if (spec.value) dtypes.push_back(spec.value->storage);
  return dtypes;
}

std::string loop_header(const ScatterSpec&, DeviceKind) {
  return "kiln/scatter_cpu.hpp";
}

std::string kernel_text(const ScatterSpec& spec, DeviceKind) {
  return work(spec) +
         "static const scatter_kernel kernel = {scatter_points<work>, scatter_row<work>};\n"
         "KILN_KERNEL kiln_kernel(const scatter_kernel** parts) { *parts = &kernel; }\n";
}

}  // namespace kiln::codegen

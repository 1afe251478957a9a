// The kernel of Ufunc::at: one application of the operation to an element in memory. Walking is kernels-src/scatter_*.hpp's.
#include <fmt/format.h>

#include "kinds/kernel_text.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

/// "work", with apply(a, b): a = f(a, b) in memory.
std::string work(const ScatterSpec& spec, const UserText& text, const std::string& members) {
  const OperandSpec result{spec.target.storage, spec.result};
  const std::string value = spec.value ? stored_name(spec.value->storage) : "uint8";
  return fmt::format(
      "struct work {{\n  using target = {};\n  using value = {};\n"
      "  KILN_FN static void apply(target& a, const value&{}) {{\n"
      "    {} r0{{}};\n    operation(r0, {}{});{}\n    a = {};\n  }}\n{}}};\n",
      stored_name(spec.target.storage), value, spec.value ? " b" : "", type_name(spec.result), loaded(spec.target, "a"),
      spec.value ? ", " + loaded(*spec.value, "b") : "",
      text.debug.nan ? fmt::format(" debug::check_result(r0, {});", spec.value ? 2 : 1) : "", stored(result, "r0"), members);
}

/// update(a, b): the same atomically.
std::string update(const ScatterSpec& spec) {
  if (spec.atomic == Atomic::none) {
    return "  KILN_FN static void update(target* a, const value& b) {\n"
           "    change(a, [&](target& x) { apply(x, b); });\n  }\n";
  }
  std::string_view name;
  // Overloads are for unsigned words where the sign has no say.
  bool sign = false;
  switch (spec.atomic) {
    case Atomic::none:
    case Atomic::add:
      name = "Add";
      break;
    case Atomic::minimum:
      name = "Min";
      sign = true;
      break;
    case Atomic::maximum:
      name = "Max";
      sign = true;
      break;
    case Atomic::bit_and:
      name = "And";
      break;
    case Atomic::bit_or:
      name = "Or";
      break;
    case Atomic::bit_xor:
      name = "Xor";
      break;
  }
  const DType dtype = spec.target.storage;
  const bool as_it_is = sign || kind(dtype) == Kind::floating;
  const std::string word = as_it_is ? type_name(dtype) : itemsize(dtype) == 8 ? "uint64" : "uint32";
  return fmt::format(
      "  KILN_FN static void update(target* a, const value& b) {{\n"
      "    atomic{}(reinterpret_cast<{}*>(a), static_cast<{}>(b));\n  }}\n",
      name, word, word);
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

std::string loop_header(const ScatterSpec&, DeviceKind target) {
  return target == DeviceKind::cpu ? "kiln/scatter/cpu.hpp" : "kiln/scatter/gpu.hpp";
}

std::string kernel_text(const ScatterSpec& spec, const UserText& text, DeviceKind target) {
  if (target != DeviceKind::cpu) {
    return work(spec, text, spec.ordered ? "" : update(spec)) +
           fmt::format("KILN_KERNEL kiln_kernel(const kinds::ScatterSpace space) {{ scatter<work, {}>(space); }}\n",
                       spec.ordered);
  }
  return work(spec, text, "") +
         fmt::format(
             "static const kinds::CpuScatterParts kernel = {{scatter_points<work>, scatter_indexed<work, int64>,\n"
             "                                      scatter_indexed<work, int32>, scatter_row<work>{}}};\n",
             text.debug.any() ? ", debug::begin_items" : "") +
         "KILN_KERNEL kiln_kernel(const kinds::CpuScatterParts** parts) { *parts = &kernel; }\n";
}

}  // namespace kiln::kinds

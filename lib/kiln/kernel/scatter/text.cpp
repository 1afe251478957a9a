// The kernel of Ufunc::at: one application of the operation to an element in memory. Walking is kernels-src/scatter_*.hpp's.
#include <fmt/format.h>

#include "kernel/scatter/text.hpp"

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

/// An operation of memory: its function, the words that it is of, how two values become one, and the value that changes none.
struct AtomicText {
  std::string_view function;
  bool sign = false;  ///< matters; else overloads are for unsigned words
  std::string_view join;
  std::string nothing;
};

AtomicText text_of(Atomic atomic, DType dtype) {
  const bool sign = is_signed(dtype);
  const char* const all = itemsize(dtype) == 8 ? "~0ull" : "~0u";
  const std::string half = fmt::format("{} >> 1", all);  // the largest of signed ones
  switch (atomic) {
    case Atomic::none:
      break;
    case Atomic::add:
      // 0 would make 0 of -0.
      return {"Add", false, "a + b", kind(dtype) == Kind::floating ? "-0.0f" : "0"};
    case Atomic::minimum:
      return {"Min", true, "a < b ? a : b", sign ? half : all};
    case Atomic::maximum:
      return {"Max", true, "a < b ? b : a", sign ? "~(" + half + ")" : "0"};
    case Atomic::bit_and:
      return {"And", false, "a & b", all};
    case Atomic::bit_or:
      return {"Or", false, "a | b", "0"};
    case Atomic::bit_xor:
      return {"Xor", false, "a ^ b", "0"};
  }
  return {};
}

/// update(a, b): the same atomically. Of an operation of memory also join(a, b), both updates as one, and nothing(), which
/// changes no element.
std::string update(const ScatterSpec& spec) {
  if (spec.atomic == Atomic::none) {
    return "  static constexpr bool joins = false;\n"
           "  KILN_FN static void update(target* a, const value& b) {\n"
           "    change(a, [&](target& x) { apply(x, b); });\n  }\n";
  }
  const DType dtype = spec.target.storage;
  const AtomicText text = text_of(spec.atomic, dtype);
  const bool as_it_is = text.sign || kind(dtype) == Kind::floating;
  const std::string word = as_it_is ? type_name(dtype) : itemsize(dtype) == 8 ? "uint64" : "uint32";
  return fmt::format(
      "  static constexpr bool joins = true;\n"
      "  KILN_FN static void update(target* a, value b) {{\n"
      "    atomic{0}(reinterpret_cast<{1}*>(a), static_cast<{1}>(b));\n  }}\n"
      "  KILN_FN static value join(value x, value y) {{\n"
      "    const auto a = static_cast<{1}>(x), b = static_cast<{1}>(y);\n    return static_cast<value>({2});\n  }}\n"
      "  KILN_FN static value nothing() {{ return static_cast<value>({3}); }}\n",
      text.function, word, text.join, text.nothing);
}

/// The places of the layout, and the type of their shape.
std::string places(const ScatterLayout& layout) {
  if (layout.any()) return "using places = scatter_any_places;\nusing places_shape = kinds::ScatterAnyShape;\n";
  std::string indices;
  for (std::size_t i = 0; i < layout.arrays; ++i) indices += ", " + type_name(layout.indices[i]);
  return fmt::format("using places = scatter_places<{}, {}, {}{}>;\nusing places_shape = places::shape;\n",
                     layout.wide_index ? "uint64" : "uint32", layout.rank, layout.rank + layout.row_rank, indices);
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
    return work(spec, text, spec.ordered ? "" : update(spec)) + places(spec.layout) +
           fmt::format(
               "KILN_KERNEL kiln_kernel(const kinds::ScatterCall call, const places_shape shape) {{\n"
               "  {}(call, places{{call, shape}});\n}}\n",
               spec.layout.bins ? "scatter_by_bins<work>"
               : spec.ordered   ? "scatter_in_order<work>"
                                : "scatter<work>");
  }
  return work(spec, text, "") +
         fmt::format(
             "static const kinds::CpuScatterParts kernel = {{scatter_points<work>, scatter_indexed<work, int64>,\n"
             "                                      scatter_indexed<work, int32>, scatter_row<work>{}}};\n",
             text.debug.any() ? ", debug::begin_items" : "") +
         "KILN_KERNEL kiln_kernel(const kinds::CpuScatterParts** parts) { *parts = &kernel; }\n";
}

}  // namespace kiln::kinds

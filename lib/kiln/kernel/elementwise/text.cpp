// What is asked of every kind of kernel, for the elementwise one.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/elementwise/text.hpp"

namespace kiln::kinds {

using codegen::UserText;

std::size_t arguments_of(const ElementwiseSpec& spec) {
  return spec.masking == Masking::none && spec.read_outputs.empty() ? spec.inputs.size() : spec.arguments;
}

std::size_t first_read_output(const ElementwiseSpec& spec) {
  return arguments_of(spec) + (spec.masking == Masking::none ? 0 : 1);
}

static std::string place_type(const ElementwiseSpec& spec) {
  return spec.place.indexer ? fmt::format("place_of_axes<{}>", spec.indexer_rank) : "element_place";
}

static void add_places(const ElementwiseSpec& spec, Operation& operation) {
  operation.place_type = place_type(spec);
  const auto add_if = [&](bool asked, const std::string& declaration, const char* value) {
    if (asked) operation.places.emplace_back("__attribute__((__unused__)) " + declaration, value);
  };
  add_if(spec.place.number, "const ::kiln::element_place kiln_here", "here");
  // An object, since a macro would be met in "x.size()", too.
  add_if(spec.place.size, "const ::kiln::element_count size", "element_count{here.of}");
  add_if(spec.place.i, "::kiln::ptrdiff_t i", "here.number");
  add_if(spec.place.n, "const ::kiln::ptrdiff_t n", "here.of");
  add_if(spec.place.indexer, "const ::kiln::" + place_type(spec) + " _ind", "here");
}

Operation operation_of(const ElementwiseSpec& spec) {
  Operation operation;
  for (std::size_t i = 0; i < arguments_of(spec); ++i) operation.inputs.push_back(spec.inputs[i].compute);
  for (const OperandSpec& operand : spec.outputs) operation.outputs.push_back(operand.compute);
  if (!by_elements(spec)) return operation;
  add_places(spec, operation);
  for (std::size_t i = 0; i < arguments_of(spec); ++i) {
    const OperandSpec& operand = spec.inputs[i];
    operation.types.push_back(operand.access == Access::raw ? "::kiln::" + raw_type(operand, i, false) : "");
  }
  for (const OperandSpec& operand : spec.outputs) {
    operation.types.push_back(operand.access == Access::raw ? "::kiln::" + raw_type(operand, operation.types.size(), true)
                                                            : "");
  }
  return operation;
}

bool by_elements(const ElementwiseSpec& spec) {
  const auto is_raw = [](const OperandSpec& operand) { return operand.access == Access::raw; };
  return spec.place.any() || std::ranges::any_of(spec.inputs, is_raw) || std::ranges::any_of(spec.outputs, is_raw);
}

std::string raw_type(const OperandSpec& operand, std::size_t number, bool writable) {
  return fmt::format("raw_array<{}::kiln::{}, {}, {}, {}, {}>", writable ? "" : "const ", type_name(operand.compute),
                     operand.axes.rank, operand.axes.packed, operand.axes.wide, number);
}

static std::string axes_type(int rank) {
  return fmt::format("raw_axes<{}>", std::max(rank, 1));
}

std::string beside_struct(const ElementwiseSpec& spec) {
  std::string members;
  for (std::size_t k = 0; k < spec.inputs.size() + spec.outputs.size(); ++k) {
    const bool input = k < spec.inputs.size();
    if (input && k >= arguments_of(spec)) continue;  // what outputs hold
    const OperandSpec& operand = input ? spec.inputs[k] : spec.outputs[k - spec.inputs.size()];
    if (operand.access == Access::raw) members += fmt::format("  {} n{};\n", axes_type(operand.axes.rank), k);
  }
  if (spec.place.indexer) members += fmt::format("  {} axes;\n", axes_type(spec.indexer_rank));
  if (spec.place.any()) members += "  kinds::ElementRange all;\n";
  return "struct beside {\n" + members + "};\n";
}

Frame frame_of(const UserText& text, const ElementwiseSpec& spec, DeviceKind /*target*/) {
  Frame frame = frame_of(text, operation_of(spec));
  const std::pair<bool, std::string_view> named[] = {
      {spec.place.size, "size"}, {spec.place.i, "i"}, {spec.place.n, "n"}, {spec.place.indexer, "_ind"}};
  for (const auto& [asked, name] : named) {
    if (asked) frame.places.push_back(name);
  }
  if (!spec.place.number) return frame;
  // A macro, since index is a type, too.
  frame.declaration = "#define index(...) kiln_number(kiln_here __VA_OPT__(,) __VA_ARGS__)\n" + frame.declaration;
  frame.closing += "#undef index\n";
  return frame;
}

std::vector<DType> storage_of(const ElementwiseSpec& spec) {
  std::vector<DType> dtypes;
  for (const auto* operands : {&spec.inputs, &spec.outputs}) {
    for (const OperandSpec& operand : *operands) dtypes.push_back(operand.storage);
  }
  return dtypes;
}

std::string evaluation(const ElementwiseSpec& spec, const std::vector<std::string>& arguments, const Debug& debug,
                       std::string_view condition, const std::string& number) {
  std::string declarations;
  std::string call = "operation(";
  std::string checks;
  if (spec.place.any()) {
    call += fmt::format("{}({}, all.size{})", place_type(spec), number, spec.place.indexer ? ", axes" : "");
  }
  const auto separator = [&call] { return call.ends_with('(') ? "" : ", "; };
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
    if (spec.outputs[k].access == Access::raw) {
      call += fmt::format("{}p{}", separator(), spec.inputs.size() + k);
      continue;
    }
    const auto read = std::ranges::find(spec.read_outputs, k);
    if (read == spec.read_outputs.end()) {
      declarations += fmt::format("{} r{}{{}}; ", type_name(spec.outputs[k].compute), k);
    } else {
      const auto which = static_cast<std::size_t>(read - spec.read_outputs.begin());
      declarations +=
          fmt::format("{} r{}({}); ", type_name(spec.outputs[k].compute), k, arguments[first_read_output(spec) + which]);
    }
    call += fmt::format("{}r{}", separator(), k);
    if (debug.nan) checks += fmt::format(" debug::check_result(r{}, {});", k, arguments_of(spec) + k);
  }
  const std::size_t count = arguments_of(spec);
  for (std::size_t k = 0; k < count; ++k) {
    call += separator() + arguments[k];
  }
  call += ");";
  if (!checks.empty()) call = "{ " + call + checks + " }";
  if (spec.masking == Masking::none) {
    return declarations + call;
  }
  declarations += fmt::format("const boolean where = {}; ", arguments[count]);
  return declarations + fmt::format("if ({}) ", condition) + call;
}

bool needs_nd(const ElementwiseSpec& spec) {
  const auto strided = [](const OperandSpec& operand) { return operand.access == Access::strided; };
  return spec.rank > 1 || std::any_of(spec.inputs.begin(), spec.inputs.end(), strided) ||
         std::any_of(spec.outputs.begin(), spec.outputs.end(), strided);
}

std::string loop_header(const ElementwiseSpec& spec, DeviceKind target) {
  if (!spec.function.empty()) return "kiln/core/types.hpp";
  if (spec.finds_races) return "kiln/elementwise/race_cpu.hpp";
  if (by_elements(spec)) return target == DeviceKind::cpu ? "kiln/elementwise/raw_cpu.hpp" : "kiln/elementwise/raw_gpu.hpp";
  if (target == DeviceKind::cpu) return "kiln/elementwise/cpu.hpp";
  if (spec.tile > 0) return "kiln/elementwise/gpu_tiles.hpp";
  if (spec.walk == Walk::strips) return "kiln/elementwise/gpu_strips.hpp";
  return needs_nd(spec) ? "kiln/elementwise/gpu_nd.hpp" : "kiln/elementwise/gpu.hpp";
}

namespace {

/// "KILN_EXPORTED float32 f(float32 a0, float32 a1) { … }". Several results go to pointers.
std::string function_text(const ElementwiseSpec& spec) {
  const auto plain = [](DType dtype) { return dtype == DType::bool_ ? std::string("bool") : type_name(dtype); };
  const bool returns = spec.outputs.size() == 1 && !spec.returns_status;
  std::string parameters;
  std::string results;
  std::string declarations;
  std::string arguments;
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
    const DType dtype = spec.outputs[k].compute;
    declarations += fmt::format("{} r{}{{}}; ", type_name(dtype), k);
    arguments += fmt::format("{}r{}", k == 0 ? "" : ", ", k);
    if (returns) continue;
    parameters += fmt::format("{}{}* to{}", k == 0 ? "" : ", ", plain(dtype), k);
    results += fmt::format("*to{0} = r{0}; ", k);
  }
  for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
    parameters += fmt::format("{}{} a{}", parameters.empty() ? "" : ", ", plain(spec.inputs[k].compute), k);
    arguments += fmt::format(", a{}", k);
  }
  const std::string type = returns ? plain(spec.outputs[0].compute) : spec.returns_status ? "int32" : "void";
  const std::string end = returns ? "return r0; " : spec.returns_status ? "return 0; " : "";
  return fmt::format("KILN_EXPORTED {} {}({}) {{ {}operation({}); {}{}}}\n", type, spec.function, parameters, declarations,
                     arguments, results, end);
}

}  // namespace

std::string kernel_text(const ElementwiseSpec& spec, const UserText& text, DeviceKind target) {
  if (!spec.function.empty()) return function_text(spec);
  if (target != DeviceKind::cpu) {
    if (spec.tile > 0) return tiled_kernel(spec, text.debug);
    return spec.walk == Walk::strips ? strip_kernel(spec, text.debug) : gpu_kernel(spec, text.debug);
  }
  if (by_elements(spec)) return raw_cpu_kernel(spec, text.debug);
  return text.debug.any() ? checked_cpu_kernel(spec, text.debug) : cpu_kernel(spec);
}

}  // namespace kiln::kinds

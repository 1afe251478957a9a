#include "kernel/gufunc/operands_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/gufunc/text.hpp"
#include "types/each_dtype.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

/// What messages of compilers call an operand's types: "element_of_x".
std::string type_of(const char* what, const std::string& name, std::size_t number) {
  return fmt::format("{}_of_{}", what, name.empty() ? std::to_string(number) : name);
}

std::string element_text(const OperandSpec& element, const std::string& name, std::size_t number, bool debug) {
  const std::string storage = stored_name(element.storage);
  // In place where neither reading nor writing converts.
  const bool in_place = element.storage == element.compute && element.compute != DType::bool_ && !is_half(element.compute);
  return fmt::format(
      "struct {} {{\n{}  using storage = {};\n  using compute = {};\n  using value = {};\n"
      "  static constexpr bool in_place = {};\n"
      "  static KILN_FN value load(const storage& x) {{ return {}; }}\n"
      "  static KILN_FN storage store(const compute& x) {{ return {}; }}\n}};\n"
      "using element{} = {};\n",
      type_of("element", name, number), debug ? fmt::format("  static constexpr int argument = {};\n", number) : "", storage,
      type_name(element.compute), body_type(element.compute), in_place, loaded(element, "x"), stored(element, "x"), number,
      type_of("element", name, number));
}

std::string axis_text(const GufuncSpec& spec, const CoreOperandSpec& operand, std::size_t axis) {
  const auto number = [](std::optional<std::int64_t> known) { return known ? std::to_string(*known) : std::string("varies"); };
  return fmt::format("axis<{}, {}>", number(spec.dimensions[operand.dimensions[axis]].size),
                     number(known_stride(spec, operand, axis)));
}

std::string view_text(const GufuncSpec& spec, const CoreOperandSpec& operand, const std::string& name, std::size_t number,
                      bool output) {
  std::string list;
  for (std::size_t a = 0; a < operand.dimensions.size(); ++a) list += ", " + axis_text(spec, operand, a);
  if (operand.as_view) list = fmt::format(", axis<1, {}>", itemsize(operand.element.storage));
  const std::string type = type_of("view", name, number);
  const std::string element = type_of("element", name, number);
  return fmt::format("using {} = {}>;\nusing view{} = {};\n", type,
                     operand.staging == Staging::window ? fmt::format("loops::window_view<{}{}", element, list)
                                                        : fmt::format("view<{}, {}{}", element, output, list),
                     number, type);
}

}  // namespace

bool is_view(const CoreOperandSpec& operand) {
  return !operand.dimensions.empty() || operand.as_view;
}

std::vector<const CoreOperandSpec*> operands_of(const GufuncSpec& spec) {
  std::vector<const CoreOperandSpec*> all;
  for (const auto* list : {&spec.inputs, &spec.outputs}) {
    for (const CoreOperandSpec& operand : *list) all.push_back(&operand);
  }
  return all;
}

bool in_memory(const CoreOperandSpec& operand) {
  return operand.element.access != Access::scalar;
}

std::optional<std::int64_t> known_stride(const GufuncSpec& spec, const CoreOperandSpec& operand, std::size_t axis) {
  auto stride = static_cast<std::int64_t>(itemsize(operand.element.storage));
  if (operand.unit == static_cast<int>(axis)) return stride;
  if (!operand.packed) return std::nullopt;
  for (std::size_t a = axis + 1; a < operand.dimensions.size(); ++a) {
    const auto& size = spec.dimensions[operand.dimensions[a]].size;
    if (!size) return std::nullopt;
    stride *= *size;
  }
  return stride;
}

std::size_t core_strides_of(const GufuncSpec& spec) {
  std::size_t count = 0;
  for (const CoreOperandSpec* operand : operands_of(spec)) count += operand->dimensions.size();
  return count;
}

std::string size_of(const GufuncSpec& spec, std::size_t dimension, const char* core) {
  const auto& size = spec.dimensions[dimension].size;
  return size ? fmt::format("int64({})", *size) : fmt::format("{}.size[{}]", core, dimension);
}

Frame frame_of(const UserText& text, const GufuncSpec& spec, DeviceKind /*target*/) {
  Frame frame;
  frame.before = "namespace kiln::operands {\n";
  std::string list;
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const CoreOperandSpec& operand = *operands[k];
    const bool output = k >= spec.inputs.size();
    const std::string& name = output ? text.output_names[k - spec.inputs.size()] : text.input_names[k];
    frame.before += element_text(operand.element, name, k, text.debug.any());
    if (is_view(operand)) frame.before += view_text(spec, operand, name, k, output);
    // A half that is assigned by name is rounded then, as a ufunc's.
    const std::string type = is_view(operand) ? "::kiln::operands::" + type_of("view", name, k)
                             : output         ? "::kiln::" + type_name(operand.element.compute)
                                              : body_type(operand.element.compute);
    list += fmt::format("{}{}{}{}{}", k == 0 ? "" : ", ", output && !is_view(operand) ? "" : "const ", type,
                        output && !is_view(operand) ? "& " : " ", name);
  }
  if (spec.team > 0) frame.before += fmt::format("using kiln_team = team<{}>;\n", spec.team);
  frame.before += "}\n";
  std::string numbers;
  for (const CoreDimensionSpec& dimension : spec.dimensions) {
    if (!dimension.name.empty()) numbers += ", const ::kiln::kiln_index " + dimension.name;
  }
  for (const EachSpec& each : spec.each) numbers += ", const ::kiln::kiln_index " + each.name;
  list += numbers;
  // In braces of its own: a body may use the names of sizes for variables.
  frame.declaration = fmt::format("KILN_FN void kiln_body({}) {{", list);
  frame.closing = "}\n";
  if (spec.team > 0) {
    // A member, so that lane, lanes, sync() and the like are found. By a name that no macro of the user's has.
    frame.declaration =
        "struct kiln_member : ::kiln::operands::kiln_team {\n"
        "KILN_FN kiln_member(const ::kiln::operands::kiln_team& kiln_t) : ::kiln::operands::kiln_team(kiln_t) {}\n" +
        frame.declaration;
    frame.closing += "};\n";
  }
  return frame;
}

std::string gufunc_members(const GufuncSpec& spec, const UserText& text, const char* kind, const char* restricts) {
  const auto operands = operands_of(spec);
  std::string parameters;
  std::string before;
  std::string arguments;
  std::string after;
  std::vector<std::string> numbers_of(operands.size());
  std::size_t stride = 0;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const CoreOperandSpec& operand = *operands[k];
    const bool output = k >= spec.inputs.size();
    const std::string element = fmt::format("operands::element{}", k);
    const char* const comma = k == 0 ? "" : ", ";
    if (!in_memory(operand)) {
      parameters += fmt::format(", const {} p{}", stored_name(operand.element.storage), k);
      arguments += operand.as_view ? fmt::format("{0}operands::view{1}(&p{1}, 1, 0)", comma, k)
                                   : comma + text.argument(k, fmt::format("{}::load(p{})", element, k));
      continue;
    }
    parameters += fmt::format(", {}{}* {} p{}", output ? "" : "const ", stored_name(operand.element.storage),
                              output ? restricts : "__restrict__", k);
    if (is_view(operand)) {
      std::string numbers = operand.as_view ? ", 1, 0" : "";
      for (const std::size_t dimension : operand.dimensions) {
        numbers += fmt::format(", {}, c.stride[{}]", size_of(spec, dimension, "c"), stride++);
      }
      const bool window = operand.staging == Staging::window;
      if (window) {
        before += fmt::format(
            "  using window{0} = window<{1}>;\n"
            "  KILN_SHARED {1} cells{0}[window{0}::elements * window{0}::threads];\n"
            "  window{0} w{0}(p{0}, {2}, cells{0});\n",
            k, stored_name(operand.element.storage), size_of(spec, operand.dimensions[0], "c"));
      }
      arguments += fmt::format("{}operands::view{}({}{}{})", comma, k, window ? "w" : "p", k, numbers);
      numbers_of[k] = numbers;
    } else if (output) {
      before += fmt::format("  {} r{}{{}};\n", type_name(operand.element.compute), k);
      arguments += fmt::format("{}r{}", comma, k);
      after += fmt::format("  {}*p{} = {}::store(r{});\n", spec.team > 0 ? fmt::format("if (t.kiln_writes(r{})) ", k) : "", k,
                           element, k);
    } else {
      arguments += comma + text.argument(k, fmt::format("{}::load(*p{})", element, k));
    }
  }
  for (std::size_t d = 0; d < spec.dimensions.size(); ++d) {
    if (!spec.dimensions[d].name.empty()) arguments += ", " + size_of(spec, d, "c");
  }
  for (std::size_t e = 0; e < spec.each.size(); ++e) {
    parameters += fmt::format(", const index e{}", e);
    arguments += fmt::format(", e{}", e);
  }
  // Indices of .each write elements of one view, and members of a team wait for each other: theirs are not looked at.
  for (std::size_t k = spec.inputs.size(); text.debug.nan && spec.each.empty() && spec.team == 0 && k < operands.size(); ++k) {
    after += is_view(*operands[k]) ? fmt::format("  check_results(operands::view{0}(p{0}{1}), {0});\n", k, numbers_of[k])
                                   : fmt::format("  debug::check_result(r{0}, {0});\n", k);
  }
  const std::string team = spec.team > 0 ? fmt::format(", const team<{}>& t", spec.team) : "";
  return fmt::format(
      "struct core {{\n  int64 size[{}];\n  int64 stride[{}];\n}};\n"
      "{} void one(const core& c{}{}) {{\n{}  user::{}kiln_body({});\n{}}}\n",
      std::max<std::size_t>(spec.dimensions.size(), 1), std::max<std::size_t>(core_strides_of(spec), 1), kind, team, parameters,
      before, spec.team > 0 ? "kiln_member(t)." : "", arguments, after);
}

}  // namespace kiln::kinds

#include "fusion/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "kernel/kernel_text.hpp"
#include "kernel/own_text.hpp"
#include "source/directives.hpp"
#include "source/literal.hpp"
#include "types/convert.hpp"
#include "types/each_dtype.hpp"
#include "ufunc/layout_class.hpp"

namespace kiln::fusion {
namespace {

using detail::UfuncImpl;
using ufunc::Loop;

std::string qualified(DType dtype) {
  return "::kiln::" + kinds::type_name(dtype);
}

/// The constant in that dtype, as a body gets it.
std::string literal(const Constant& constant, DType dtype) {
  alignas(16) std::array<unsigned char, 16> value{};
  convert_scalar(constant.dtype, constant.bytes.data(), dtype, value.data());
  return codegen::literal(dtype, value.data());
}

/// The last line that is not blank, counted from 1.
std::ptrdiff_t last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  return 1 + (end == std::string::npos ? 0 : std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
}

class FunctionsText {
 public:
  explicit FunctionsText(const std::string& name) : file_(name + ".functions") {}

  /// Text that is kiln's own.
  void add(const std::string& text) { out_ += text; }

  void add_users(const std::string& file, const std::string& text) {
    out_ += fmt::format("#line 1 {}\n{}\n", kinds::string_literal(file), text);
    reset_line();
  }
  /// They name lines of the user's.
  void add_refusals(const std::string& text) {
    if (text.empty()) return;
    out_ += text;
    reset_line();
  }
  /// What the end of the body lacks (a return, an operand) is reported at what closes it: in its last line.
  void add_body(const std::string& file, const std::string& text, const std::string& closing) {
    out_ += fmt::format("#line 1 {}\n{}\n#line {} {}\n{}\n", kinds::string_literal(file), text, last_line(text),
                        kinds::string_literal(file), closing);
    reset_line();
  }
  std::string take() && { return std::move(out_); }

 private:
  void reset_line() {
    out_ += fmt::format("#line {} {}\n", 2 + std::count(out_.begin(), out_.end(), '\n'), kinds::string_literal(file_));
  }

  std::string file_;
  std::string out_;
};

/// One ufunc for one loop, in a namespace of its own.
void add_part(FunctionsText& out, const Part& part, std::size_t number) {
  const UfuncImpl& ufunc = part.ufunc;
  const Loop& loop = part.loop;
  const codegen::UserText text = ufunc.text_of(loop);
  const bool shared_preamble = codegen::includes_files(text.preamble);
  out.add(fmt::format("namespace kiln_part_{} {{\n", number));
  for (const auto& [variable, dtype] : text.type_variables)
    out.add(fmt::format("using {} = {};\n", variable, qualified(dtype)));
  if (!text.defines.empty()) out.add_users(text.name + ".defines", codegen::defines_text(text.defines));
  if (!text.preamble.empty() && !shared_preamble) out.add_users(text.name + ".preamble", text.preamble);
  if (!text.functions.empty()) out.add_users(text.name + ".functions", text.functions);
  const kinds::OwnText names(text, ufunc.definition().compile.headers);
  out.add_refusals(names.refusals(text.input_names) + names.refusals(text.output_names));
  out.add(kinds::body_declaration(text, {.inputs = loop.inputs, .outputs = loop.outputs, .rounds = part.rounds}) + " {\n" +
          (text.expression ? "return\n" : ""));
  out.add_body(text.name, text.body, text.expression ? ";}" : "}");
  std::set<std::string> macros;
  for (const auto& [file, own] : codegen::texts_of(text)) {
    if (!shared_preamble || file != text.name + ".preamble") macros.merge(codegen::macros_of(own));
  }
  out.add(codegen::undefine(macros) + "}\n");
}

/// A file that guards itself is read once however often it is included: preambles with #include stand once, before all parts.
void add_shared_preambles(FunctionsText& out, const Graph& graph) {
  std::set<std::string> written;
  for (const Graph::Step& step : graph.steps) {
    const UfuncDefinition& definition = step.ufunc->definition();
    if (!codegen::includes_files(definition.compile.preamble) || !written.insert(definition.compile.preamble).second) continue;
    const std::string defines = codegen::defines_text(definition.compile.defines);
    if (!defines.empty()) out.add_users(definition.name + ".defines", defines);
    out.add_users(definition.name + ".preamble", definition.compile.preamble);
    out.add(codegen::undefine(codegen::macros_of(defines)));
  }
}

class Body {
 public:
  Body(const Graph& graph, const Typing& typing, const Names& names) : graph_(graph), typing_(typing), names_(names) {}

  void add(std::size_t step, std::size_t part) {
    const Loop& loop = typing_.loops[step];
    const UfuncImpl& ufunc = *graph_.steps[step].ufunc;
    std::string arguments;
    const auto argue = [&](const std::string& text) { arguments += (arguments.empty() ? "" : ", ") + text; };
    const bool assigns = ufunc.signatures().front().named_outputs;
    for (std::size_t k = 0; k < loop.outputs.size() && assigns; ++k) {
      out_ += fmt::format("{} {}{{}};\n", qualified(loop.outputs[k]), variable(step, k));
      argue(variable(step, k));
    }
    for (std::size_t k = 0; k < loop.inputs.size(); ++k) argue(argument(graph_.steps[step].inputs[k], loop.inputs[k]));
    const std::string result = assigns ? "" : fmt::format("const {} {} = ", qualified(loop.outputs[0]), variable(step, 0));
    out_ += fmt::format("{}kiln_part_{}::kiln_body({});\n", result, part, arguments);
  }

  std::string finish() && {
    for (std::size_t k = 0; k < graph_.outputs.size(); ++k) {
      out_ += (names_.outputs.size() == 1 ? "return " : names_.outputs[k] + " = ") + plain(graph_.outputs[k]) + ";\n";
    }
    return std::move(out_);
  }

 private:
  static std::string variable(std::size_t step, std::size_t output) { return fmt::format("kiln_v{}_{}", step, output); }

  [[nodiscard]] std::string plain(const Graph::Operand& operand) const {
    return operand.kind == Graph::Operand::Kind::step ? variable(operand.index, operand.output) : names_.inputs[operand.index];
  }

  /// The operand as a body gets a parameter of that dtype.
  [[nodiscard]] std::string argument(const Graph::Operand& operand, DType to) const {
    if (operand.kind == Graph::Operand::Kind::constant) return literal(graph_.constants[operand.index], to);
    const bool step = operand.kind == Graph::Operand::Kind::step;
    const DType from = step ? typing_.loops[operand.index].outputs[operand.output] : typing_.parameters[operand.index];
    // A result is kept as an array would store it; a parameter has become what bodies get.
    if (from == to && !(step && is_half(from))) return plain(operand);
    return fmt::format("::kiln::from_storage<{}>({})", qualified(to), plain(operand));
  }

  const Graph& graph_;
  const Typing& typing_;
  const Names& names_;
  std::string out_;
};

}  // namespace

Text write(const Graph& graph, const Typing& typing, const Names& names) {
  FunctionsText functions(names.name);
  Body body(graph, typing, names);
  add_shared_preambles(functions, graph);
  std::map<std::pair<const UfuncImpl*, std::vector<DType>>, std::size_t> parts;
  for (std::size_t step = 0; step < graph.steps.size(); ++step) {
    const UfuncImpl& ufunc = *graph.steps[step].ufunc;
    const auto [part, fresh] = parts.try_emplace({&ufunc, ufunc::dtypes_of(typing.loops[step])}, parts.size());
    if (fresh) add_part(functions, {ufunc, typing.loops[step]}, part->second);
    body.add(step, part->second);
  }
  return {std::move(functions).take(), std::move(body).finish()};
}

std::string write_parts(const Graph& graph, std::span<const Part> parts, const std::string& name) {
  FunctionsText functions(name);
  add_shared_preambles(functions, graph);
  for (std::size_t number = 0; number < parts.size(); ++number) add_part(functions, parts[number], number);
  return std::move(functions).take();
}

}  // namespace kiln::fusion

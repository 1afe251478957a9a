// Programs as C++.
#include <fmt/format.h>

#include <algorithm>

#include "function_text.hpp"

namespace programs {
namespace {

struct Calls {
  Op op;
  int index;
  bool operator()(const Expression& e) const { return e.op == op && e.index == index; }
  bool operator()(const Statement&) const { return false; }
};
bool calls(const Program& program, Op op, std::size_t index) {
  const Calls is{op, static_cast<int>(index)};
  return std::ranges::any_of(program.functions, [&](const Function& each) { return any(each.block, is) || any(each.end, is); });
}
bool is_called(const Program& program, std::size_t function) {
  if (calls(program, Op::call, function)) return true;
  for (std::size_t i = 0; i < program.pointers.size(); ++i) {
    const std::vector<int>& all = program.pointers[i];
    if (std::ranges::find(all, static_cast<int>(function)) != all.end() && calls(program, Op::call_through, i)) return true;
  }
  return false;
}

std::string parameters(const Function& function) {
  std::string list;
  for (std::size_t i = 0; i < static_cast<std::size_t>(function.parameters); ++i) {
    list += fmt::format("{}{} v{}", i == 0 ? "" : ", ", name(function.variables[i].type), i);
  }
  return list;
}

std::string signature_of(const Program& program) {
  const Function& body = program.body();
  const bool elementwise = program.kind == Program::Kind::elementwise;
  std::string inputs;
  for (std::size_t i = 0; i < static_cast<std::size_t>(body.parameters); ++i) {
    const Variable& each = body.variables[i];
    inputs += fmt::format("{}{}{} v{}", i == 0 ? "" : ", ", name(each.in_memory()), each.view ? "[:]" : "", i);
  }
  std::string outputs;
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const bool last = i + 1 == program.outputs.size();
    const bool view = !elementwise && (!last || program.kind == Program::Kind::each);
    outputs += fmt::format("{}{}{} {}", i == 0 ? "" : ", ", name(program.outputs[i]), view ? "[:]" : "",
                           !elementwise && last ? "r" : fmt::format("v{}", static_cast<std::size_t>(body.parameters) + i));
  }
  if (!elementwise) return fmt::format("void({}, {})", inputs, outputs);
  return fmt::format("{}({})", program.outputs.size() == 1 ? name(program.outputs[0]) : "(" + outputs + ") ", inputs);
}

std::string layout_of(const Program& program) {
  std::string layout;
  for (std::size_t i = 0; i < static_cast<std::size_t>(program.body().parameters); ++i)
    layout += fmt::format("{}{}", i == 0 ? "" : ",", program.body().variables[i].view ? "(n)" : "()");
  layout += "->";
  if (program.kind == Program::Kind::each) return layout + "(n)";
  for (std::size_t i = 0; i + 1 < program.outputs.size(); ++i) layout += "(n),";
  return layout + "()";
}

/// What declares a list of functions that are called by pointers.
std::string table_of(const Program& program, std::size_t index) {
  const std::vector<int>& all = program.pointers[index];
  const Function& first = program.functions[static_cast<std::size_t>(all[0])];
  std::string list;
  for (const int each : all) list += fmt::format("{}f{}", list.empty() ? "" : ", ", each);
  return fmt::format("using p{0}_type = {1} (*)({2});\nconstexpr p{0}_type p{0}[] = {{{3}}};\n", index, name(first.result),
                     parameters(first), list);
}

}  // namespace

const char* name(Type type) {
  constexpr const char* kNames[] = {"bool",   "int8",  "uint8",   "int16",   "uint16",  "int32",
                                    "uint32", "int64", "float32", "float64", "float16", "bfloat16"};
  return kNames[static_cast<int>(type)];
}

const Variable& Program::variable(const Function& function, int index) const {
  return index < 0 ? tables[static_cast<std::size_t>(-1 - index)] : function.variables[static_cast<std::size_t>(index)];
}

Text text_of(const Program& program) {
  Text text;
  text.signature = signature_of(program);
  if (program.kind != Program::Kind::elementwise) text.layout = layout_of(program);
  if (program.kind == Program::Kind::each) text.each = fmt::format("v{}:n", program.body().parameters);
  for (std::size_t i = 0; i < program.tables.size(); ++i) {
    const Variable& table = program.tables[i];
    text.preamble += fmt::format("constexpr {} t{}[{}] = {{", name(table.type), i + 1, table.length);
    for (int k = 0; k < table.length; ++k) {
      text.preamble += fmt::format("{}{}({})", k == 0 ? "" : ", ", name(table.type), table.initial.integer + k);
    }
    text.preamble += "};\n";
  }
  text.functions =
      "int32 whole(float32 x) { return x > -1e9f && x < 1e9f ? int32(x) : 7; }\n"
      "int32 whole(float64 x) { return x > -1e9 && x < 1e9 ? int32(x) : 7; }\n";
  for (std::size_t i = 0; i + 1 < program.functions.size(); ++i) {
    const Function& function = program.functions[i];
    if (!is_called(program, i)) continue;
    text.functions += fmt::format("{}{} f{}({}) {{\n{}}}\n", function.called ? "__attribute__((noinline)) static " : "",
                                  name(function.result), i, parameters(function), text_of(program, function));
    for (std::size_t k = 0; k < program.pointers.size(); ++k) {
      if (program.pointers[k].back() == static_cast<int>(i) && calls(program, Op::call_through, k))
        text.functions += table_of(program, k);
    }
  }
  text.body = text_of(program, program.body());
  return text;
}

}  // namespace programs

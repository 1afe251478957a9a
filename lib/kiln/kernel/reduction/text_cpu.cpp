// A reduction on the CPU: where elements come from and results go to, and a description for the driver.
#include <fmt/format.h>

#include "kernel/reduction/members_text.hpp"
#include "kernel/reduction/text.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

/// The elements that a loop goes over: a pointer for each operand.
std::string source_of(const ReductionSpec& spec) {
  std::string pointers;
  std::string places;
  std::string values;
  std::size_t operand = 0;
  const auto add = [&](const std::string& type, const std::string& name) {
    pointers += fmt::format("const {}* {}; ", type, name);
    places += fmt::format("{}{}(static_cast<const {}*>(p[{} * step + row]))", operand == 0 ? "" : ", ", name, type, operand);
    ++operand;
  };
  for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
    const std::string name = fmt::format("x{}", k);
    add(stored_name(spec.inputs[k].storage), name);
    values += fmt::format("{}{}[{}]", k == 0 ? "" : ", ", name, stands_still(spec.inputs[k]) ? "0" : "i");
  }
  if (spec.masked) add("uint8", "mask");
  if (spec.indexed) {
    pointers += "element_index<Index> number; ";
    places += fmt::format(", number(p[{} * step + row])", operand);
    values += ", number.at(i)";
  }
  return fmt::format(
      "  template <index_form Index> struct source {{\n    {}\n"
      "    KILN_FN source(void* const* p, int64 step, int64 row) : {} {{}}\n"
      "    KILN_FN accumulator at(int64 i) const {{ return mapped({}); }}\n"
      "    KILN_FN bool counts(int64 i) const {{ return {}; }}\n  }};\n",
      pointers, places, values, spec.masked ? "mask[i] != 0" : "true");
}

/// Where results go: contiguous outputs.
std::string sink_of(const ReductionSpec& spec) {
  std::string pointers;
  std::string places;
  std::string values;
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
    const std::string type = stored_name(spec.outputs[k].storage);
    pointers += fmt::format("{}* y{}; ", type, k);
    places += fmt::format("{0}y{1}(static_cast<{2}*>(p[{1}]))", k == 0 ? "" : ", ", k, type);
    values += fmt::format(", y{}[i]", k);
  }
  return fmt::format(
      "  struct sink {{\n    {}\n    KILN_FN sink(void* const* p) : {} {{}}\n"
      "    KILN_FN void put(int64 i, const accumulator& a) const {{ post(a{}); }}\n  }};\n",
      pointers, places, values);
}

}  // namespace

std::string reduction_cpu(const ReductionSpec& spec, const UserText& text) {
  std::string sizes;
  for (const OperandSpec& input : spec.inputs) sizes += fmt::format("sizeof({}), ", stored_name(input.storage));
  if (spec.masked) sizes += "1, ";
  if (spec.indexed) sizes += "8, ";
  for (const OperandSpec& output : spec.outputs) sizes += fmt::format("sizeof({}), ", stored_name(output.storage));
  const std::size_t inputs = spec.inputs.size() + (spec.masked ? 1 : 0) + (spec.indexed ? 1 : 0);
  return fmt::format(
      "struct reduction {{\n{}{}  static constexpr int index_operand = {};\n{}{}}};\n"
      "static const uint8 itemsize[] = {{{}}};\n"
      "static const kinds::CpuReduction kernel = describe<reduction, {}>({}, {}, itemsize);\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) const kinds::CpuReduction* kiln_kernel() {{ return &kernel; }}\n",
      reduction_members(spec, text), lanes_of(text), index_operand(spec), source_of(spec), sink_of(spec), sizes, spec.ordered,
      inputs, spec.outputs.size());
}

}  // namespace kiln::kinds

// A reduction on the CPU: where elements come from and results go to, and a description for the driver.
#include <fmt/format.h>

#include "kernel/reduction/beside_text.hpp"
#include "kernel/reduction/members_text.hpp"
#include "kernel/reduction/text.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

/// The elements that a loop goes over: a pointer for each operand.
std::string source_of(const ReductionSpec& spec, const UserText& text) {
  std::string pointers;
  std::string places;
  std::string values;
  std::string prefetches;  // of a part, whose kernel reads elements in bursts
  std::size_t operand = 0;
  const auto add = [&](const std::string& type, const std::string& name) {
    pointers += fmt::format("const {}* {}; ", type, name);
    places += fmt::format("{}{}(static_cast<const {}*>(p[{} * step + row]))", operand == 0 ? "" : ", ", name, type, operand);
    ++operand;
  };
  for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
    const std::string name = fmt::format("x{}", k);
    add(stored_name(spec.inputs[k].storage), name);
    values += k == 0 ? "" : ", ";
    values += spec.inputs[k].access == Access::raw ? raw_value(spec.inputs[k], k, name, "(*b)")
                                                   : fmt::format("{}[{}]", name, stands_still(spec.inputs[k]) ? "0" : "i");
    if (!stands_still(spec.inputs[k])) prefetches += fmt::format("__builtin_prefetch({} + i); ", name);
  }
  if (spec.masked) add("uint8", "mask");
  if (spec.indexed) {
    pointers += "element_index<Index> number; ";
    places += fmt::format(", number(p[{} * step + row])", operand);
    values += ", number.at(i)";
    ++operand;
  }
  if (has_beside(spec, text)) {
    add("beside", "b");
    if (text.stages->map_places.any_axes() || text.stages->counts_all()) values += ", *b";
  }
  std::string identity;
  if (identity_takes(spec, text)) {
    identity = fmt::format(
        "    KILN_FN accumulator identity() const {{ return reduction::identity({}); }}\n",
        identity_arguments(spec, text, {.arrays = "", .scalar = "", .by_pointer = true, .beside = "(*b)", .number = ""}));
  }
  return fmt::format(
      "  template <index_form Index> struct source {{\n    {}\n"
      "    KILN_FN source(void* const* p, int64 step, int64 row) : {} {{}}\n"
      "    KILN_FN accumulator at(int64 i) const {{ return mapped({}); }}\n{}"
      "    KILN_FN bool counts(int64 i) const {{ return {}; }}\n{}  }};\n",
      pointers, places, values, identity, spec.masked ? "mask[i] != 0" : "true",
      spec.part ? fmt::format("    KILN_FN void prefetch([[maybe_unused]] int64 i) const {{ {}}}\n", prefetches) : "");
}

/// What results are made of beside accumulators: inputs that are one for all elements, the number of the output.
std::string ends_of_cpu(const ReductionSpec& spec, const UserText& text) {
  std::string members;
  std::string places;
  const std::uint64_t taken = text.stages ? text.stages->post_inputs | text.stages->identity_inputs : 0;
  const auto add = [&](const std::string& type, const std::string& name, std::size_t operand) {
    members += fmt::format("const {}* {}; ", type, name);
    places += fmt::format("{}{}(static_cast<const {}*>(q[{}]))", places.empty() ? " : " : ", ", name, type, operand);
  };
  for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
    if ((taken >> k & 1U) != 0) add(stored_name(spec.inputs[k].storage), fmt::format("x{}", k), k);
  }
  const std::size_t index = spec.inputs.size() + (spec.masked ? 1 : 0);
  if (numbers_outputs(text)) add("kinds::CpuIndex", "numbers", index);
  if (has_beside(spec, text)) add("beside", "b", index + (spec.indexed ? 1 : 0));
  std::string identity;
  if (identity_takes(spec, text)) {
    identity = fmt::format(
        "    KILN_FN accumulator identity() const {{ return reduction::identity({}); }}\n",
        identity_arguments(spec, text, {.arrays = "", .scalar = "", .by_pointer = true, .beside = "(*b)", .number = ""}));
  }
  return fmt::format("  struct ends {{\n    {}\n    KILN_FN explicit ends([[maybe_unused]] void* const* q){} {{}}\n{}  }};\n",
                     members, places, identity);
}

/// Where results go: contiguous outputs.
std::string sink_of(const ReductionSpec& spec, const UserText& text) {
  std::string pointers;
  std::string places;
  std::string values;
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
    const std::string type = stored_name(spec.outputs[k].storage);
    pointers += fmt::format("{}* y{}; ", type, k);
    places += fmt::format(", y{0}(static_cast<{1}*>(p[{0}]))", k, type);
    values += fmt::format(", y{}[i]", k);
  }
  values += post_arguments(spec, text,
                           {.arrays = "this->",
                            .scalar = "",
                            .by_pointer = true,
                            .beside = "(*this->b)",
                            .number = "this->numbers->list != nullptr ? this->numbers->list[i] : this->numbers->first + i"});
  return ends_of_cpu(spec, text) +
         fmt::format(
             "  struct sink : ends {{\n    {}\n    KILN_FN sink(void* const* p, void* const* q) : ends(q){} {{}}\n"
             "    KILN_FN void put(int64 i, const accumulator& a) const {{ post(a{}); }}\n  }};\n",
             pointers, places, values);
}

}  // namespace

std::string reduction_cpu(const ReductionSpec& spec, const UserText& text) {
  std::string sizes;
  for (const OperandSpec& input : spec.inputs) sizes += fmt::format("sizeof({}), ", stored_name(input.storage));
  if (spec.masked) sizes += "1, ";
  if (spec.indexed) sizes += "8, ";
  if (has_beside(spec, text)) sizes += "8, ";
  for (const OperandSpec& output : spec.outputs) sizes += fmt::format("sizeof({}), ", stored_name(output.storage));
  const std::size_t inputs =
      spec.inputs.size() + (spec.masked ? 1 : 0) + (spec.indexed ? 1 : 0) + (has_beside(spec, text) ? 1 : 0);
  return beside_struct(spec, text) +
         fmt::format(
             "struct reduction {{\n{}{}  static constexpr int index_operand = {};\n{}{}}};\n"
             "static const uint8 itemsize[] = {{{}}};\n"
             "static const kinds::CpuReduction kernel = {}({}, {}, itemsize);\n"
             "extern \"C\" __attribute__((visibility(\"default\"))) const kinds::CpuReduction* kiln_kernel() {{ return "
             "&kernel; }}\n",
             reduction_members(spec, text), lanes_of(text), index_operand(spec), source_of(spec, text), sink_of(spec, text),
             sizes, spec.part ? "describe_part<reduction>" : fmt::format("describe<reduction, {}>", spec.ordered), inputs,
             spec.outputs.size());
}

}  // namespace kiln::kinds

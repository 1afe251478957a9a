#include "kernel/reduction/members_text.hpp"

#include <fmt/format.h>

#include <utility>

#include "kernel/elementwise/text.hpp"
#include "kernel/reduction/beside_text.hpp"
#include "kernel/reduction/plan.hpp"
#include "kernel/reduction/text.hpp"
#include "types/each_dtype.hpp"

namespace kiln::kinds {

using codegen::Stages;
using codegen::UserText;

namespace {

/// mapped() and post(), which a reduction of any number of operands has.
struct Ends {
  std::string elements;    ///< "const float32& x0, int64 i"
  std::string mapped;      ///< an accumulator of them
  std::string results;     ///< ", float32& y0", and what else post takes
  std::string post;        ///< statements that assign them
  std::string identified;  ///< parameters of the identity
  std::string identity;    ///< what it passes on
};

Ends ends_of(const ReductionSpec& spec, const UserText& text) {
  const Stages& stages = *text.stages;
  const std::vector<std::string>& output_names = text.output_names;
  Ends ends;
  std::string arguments;
  std::string taken;  // by post
  for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
    const char* const comma = k == 0 ? "" : ", ";
    const bool raw = spec.inputs[k].access == Access::raw;
    const std::string parameter =
        fmt::format("const {}& x{}", raw ? raw_type(spec.inputs[k], k, false) : stored_name(spec.inputs[k].storage), k);
    const std::string value = raw ? fmt::format("x{}", k) : text.argument(k, loaded(spec.inputs[k], fmt::format("x{}", k)));
    ends.elements += comma + parameter;
    arguments += comma + value;
    if ((stages.post_inputs >> k & 1U) != 0) {
      ends.results += ", " + parameter;
      taken += ", " + value;
    }
    if ((stages.identity_inputs >> k & 1U) == 0) continue;
    const char* const next = ends.identity.empty() ? "" : ", ";
    ends.identified += next + parameter;
    ends.identity += next + value;
  }
  if (spec.indexed) ends.elements += ", int64 i";
  if (stages.map_places.any_axes() || stages.counts_all()) ends.elements += ", const beside& b";
  arguments += stages.cupy ? map_places(stages, spec) : spec.indexed ? ", i" : "";
  if (stages.post_places.outputs()) ends.results += ", int64 i";
  if (stages.post_places.any_axes()) ends.results += ", const beside& b";
  taken += post_places(stages, spec);
  const std::string inputs_of_post = std::exchange(ends.results, {});
  ends.mapped =
      stages.map.empty() ? fmt::format("convert<accumulator>({})", arguments) : fmt::format("user::kiln_map({})", arguments);
  std::string references;
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
    const OperandSpec& output = spec.outputs[k];
    ends.results += fmt::format(", {}& y{}", stored_name(output.storage), k);
    const std::string result = fmt::format("r{}", k);
    references += result + ", ";
    const bool reads = (spec.read_outputs >> k & 1U) != 0;
    ends.post +=
        fmt::format("{} {}{{{}}}; ", type_name(output.compute), result, reads ? loaded(output, fmt::format("y{}", k)) : "");
    if (!stages.post.empty()) continue;
    const std::string value = stages.accumulator.empty() ? "a" : "a." + output_names[k];
    ends.post += fmt::format("{} = convert<{}>({}); ", result, type_name(output.compute), value);
  }
  if (!stages.post.empty()) {
    ends.post += output_names.empty() ? fmt::format("r0 = user::kiln_post(a{}); ", taken)
                                      : fmt::format("user::kiln_post({}a{}); ", references, taken);
  }
  ends.results += inputs_of_post;
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
    ends.post += fmt::format("y{} = {}; ", k, stored(spec.outputs[k], fmt::format("r{}", k)));
  }
  return ends;
}

std::string members_of_stages(const ReductionSpec& spec, const UserText& text) {
  const Ends ends = ends_of(spec, text);
  std::string out = fmt::format(
      "  using accumulator = user::kiln_accumulator;\n"
      "  static constexpr bool has_identity = {}, masked = {}, prepends_identity = {}, maps = {}, commutes = {};\n"
      "  static constexpr bool takes_inputs = {}, reads_outputs = {}, closes = {};\n",
      spec.identity, spec.masked, spec.prepends_identity, !text.stages->map.empty(),
      !text.stages->accumulator.empty() || !text.stages->type.empty() || commutes(spec.outputs.front().compute, spec.identity),
      identity_takes(spec, text), spec.read_outputs != 0, !spec.part);
  if (spec.identity) {
    out += fmt::format(
        "  static KILN_FN accumulator identity({}) {{ return ::kiln::convert<accumulator>(user::kiln_identity({})); }}\n",
        ends.identified, ends.identity);
  }
  out += fmt::format(
      "  static KILN_FN accumulator combine(const accumulator& a, const accumulator& b) {{ return user::kiln_reduce(a, b); }}\n"
      "  static KILN_FN accumulator mapped({}) {{ return {}; }}\n"
      "  static KILN_FN void post(const accumulator& a{}) {{ {}}}\n",
      ends.elements, ends.mapped, ends.results, ends.post);
  return out;
}

std::string members_of_operation(const ReductionSpec& spec) {
  const DType loop = spec.inputs.front().compute;
  const OperandSpec& output = spec.outputs.front();
  // Halves are accumulated as float, and rounded at the end.
  std::string text = fmt::format(
      "  using accumulator = {};\n"
      "  static constexpr bool has_identity = {}, masked = {}, prepends_identity = true, maps = false, commutes = {};\n"
      "  static constexpr bool takes_inputs = false, reads_outputs = false, closes = {};\n",
      body_type(loop), spec.identity, spec.masked, commutes(loop, spec.identity), !spec.part);
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

}  // namespace

std::string reduction_members(const ReductionSpec& spec, const UserText& text) {
  return text.stages ? members_of_stages(spec, text) : members_of_operation(spec);
}

std::string lanes_of(const UserText& text) {
  if (!text.stages || text.stages->members.empty()) {
    return "  template <int N> using lanes = plain_lanes<accumulator, N>;\n";
  }
  // A member may have any name but one of kiln's.
  std::string arrays;
  std::string get;
  std::string put;
  for (const std::string& member : text.stages->members) {
    arrays += fmt::format("decltype(accumulator::{0}) {0}[kiln_n]; ", member);
    get += fmt::format("kiln_a.{0} = kiln_all.{0}[kiln_i]; ", member);
    put += fmt::format("kiln_all.{0}[kiln_i] = kiln_a.{0}; ", member);
  }
  return fmt::format(
      "  template <int kiln_n> struct lanes {{\n    struct {{ {}}} kiln_all;\n"
      "    KILN_FN accumulator get(int64 kiln_i) const {{ accumulator kiln_a; {}return kiln_a; }}\n"
      "    KILN_FN void put(int64 kiln_i, const accumulator& kiln_a) {{ {}}}\n  }};\n",
      arrays, get, put);
}

int index_operand(const ReductionSpec& spec) {
  return spec.indexed ? static_cast<int>(spec.inputs.size()) + (spec.masked ? 1 : 0) : -1;
}

bool stands_still(const OperandSpec& input) {
  return input.access == Access::raw || input.access == Access::scalar || input.access == Access::broadcast;
}

}  // namespace kiln::kinds

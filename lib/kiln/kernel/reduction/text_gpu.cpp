// A reduction on a GPU: where the elements of an output are, and the loop of its mapping.
#include <fmt/format.h>

#include <algorithm>

#include "device/kernel_abi.hpp"
#include "kernel/reduction/beside_text.hpp"
#include "kernel/reduction/grid.hpp"
#include "kernel/reduction/members_text.hpp"
#include "kernel/reduction/plan.hpp"
#include "kernel/reduction/text.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

/// Packs that a thread combines in pairs.
int group(const ReductionSpec& spec) {
  return spec.mapping == Mapping::columns ? 4 : std::clamp(16 / spec.width, 2, 4);
}

/// Elements of an output in a pack.
int elements_of_pack(const ReductionSpec& spec) {
  return spec.mapping == Mapping::columns ? 1 : spec.width;
}

/// Blocks that a multiprocessor has registers for, by what a thread has loaded, its sums and some for addresses. Without a
/// limit NVIDIA's compilers take more registers for small gains. 1 is no limit.
int blocks_at_once(const ReductionSpec& spec) {
  constexpr std::int64_t kLoads = 4;  // of kernels-src/reduction/gather_gpu.hpp
  constexpr std::int64_t kSmallState = 8;
  // Coordinates take more than can be foreseen.
  if (spec.ordered || spec.part || spec.wide_index || spec.reduced_rank > 1 || spec.kept_rank > 2) return 1;
  std::int64_t loaded = spec.masked ? spec.width : 0;
  for (const OperandSpec& input : spec.inputs) {
    if (!stands_still(input)) loaded += spec.width * static_cast<std::int64_t>(itemsize(input.storage));
  }
  const bool columns = spec.mapping == Mapping::columns;
  const std::int64_t state = state_bytes(spec);
  const std::int64_t word = spec.masked && !spec.identity ? 8 : 4;
  const bool large = state > kSmallState;
  const std::int64_t sums = large && !columns ? 2 * state : spec.width * std::max(state, word);
  std::int64_t addresses = state <= 4 ? 20 : state <= kSmallState ? 22 : 24;
  addresses += 4 * (static_cast<std::int64_t>(spec.inputs.size()) - 1);
  if (columns) addresses += 8;
  if (spec.masked) addresses += 6;
  if (large && spec.width > 4) addresses += 8;
  if (spec.width >= 16) addresses += columns || large ? 24 : 10;
  const std::int64_t registers = (kLoads * loaded + sums) / 4 + addresses;
  if (large) return registers <= 48 && spec.mapping == Mapping::block && !spec.masked ? 5 : 1;
  const std::int64_t most[] = {40, 48, 64, 80, 128};  // of a thread where 6, 5, … blocks are there
  return 6 - static_cast<int>(std::lower_bound(std::begin(most), std::end(most), registers) - std::begin(most));
}

std::string loop_of(const ReductionSpec& spec) {
  if (spec.ordered) return "reduce_in_order<reduction>(call, w);";
  if (spec.part) return fmt::format("reduce_balanced<reduction, {}>(call, w, cells);", balanced_elements(state_bytes(spec)));
  const int packs = group(spec);
  switch (spec.mapping) {
    case Mapping::thread:
      return fmt::format("reduce_by_threads<reduction, {}, {}>(call, w);", spec.width, packs);
    case Mapping::warp:
      return fmt::format("reduce_by_warps<reduction, {}, {}>(call, w);", spec.width, packs);
    case Mapping::block:
      return fmt::format("reduce_by_blocks<reduction, {}, {}>(call, w, cells);", spec.width, packs);
    case Mapping::columns:
      break;
  }
  return fmt::format("reduce_by_columns<reduction, {}, {}>(call, w, cells);", spec.width, packs);
}

/// Whether packs are consecutive.
bool packs_follow(const ReductionSpec& spec) {
  return elements_of_pack(spec) > 1 && spec.reduced_rank == 1;
}

/// The text around each operand, inputs first.
class Operands {
 public:
  Operands(const ReductionSpec& spec, const UserText& text) : spec_(spec), text_(text) {
    for (std::size_t k = 0; k < spec.inputs.size(); ++k) add_input(k);
    if (spec.masked) add_mask();
    if (spec.indexed) add_index();
    if (has_beside(spec, text)) add_beside();
    for (std::size_t k = 0; k < spec.outputs.size(); ++k) add_output(k);
  }

  std::string pointers;         ///< members for all of them
  std::string inputs;           ///< members for the inputs
  std::string parameters;       ///< ", const float32* __restrict__ x0"
  std::string names;            ///< ", x0"
  std::string of_output;        ///< ", moved(x0, …)": the inputs of the output at `at`
  std::string packs;            ///< members: what is loaded for a pack
  std::string loads;            ///< their initializers
  std::string values;           ///< what map gets of element w
  std::string results;          ///< ", *moved(y0, …)"
  std::string counts = "true";  ///< whether element w counts
  std::string number = {};      ///< of the output at `at`
  std::size_t count = 0;

 private:
  void pointer(const std::string& type, const std::string& name, bool is_output) {
    parameters += fmt::format(", {}{}* __restrict__ {}", is_output ? "" : "const ", type, name);
    pointers += fmt::format("  {}{}* {};\n", is_output ? "" : "const ", type, name);
    names += ", " + name;
  }
  /// Bytes from an operand to its first element of the output at `at`.
  [[nodiscard]] std::string offset() const { return fmt::format("at.offset(kept.stride[{}])", count); }
  /// Bytes from an output's first element to pack `i`. Packs are consecutive along a single axis.
  [[nodiscard]] std::string in_reduced(int width, std::size_t bytes) const {
    if (width > 1 && packs_follow(spec_)) return fmt::format("int64(i) * {}", static_cast<std::size_t>(width) * bytes);
    return fmt::format("where.offset(space.stride[{}])", count);
  }
  void element(const std::string& value) { values += (values.empty() ? "" : ", ") + value; }
  void load(const std::string& member, const std::string& initializer) {
    packs += fmt::format("    {};\n", member);
    loads += (loads.empty() ? "" : ", ") + initializer;
  }

  void add_input(std::size_t k) {
    const OperandSpec& input = spec_.inputs[k];
    const std::string type = stored_name(input.storage);
    const std::string name = fmt::format("x{}", k);
    if (input.access == Access::raw) {
      pointer(type, name, false);
      inputs += fmt::format("  const {}* {};\n", type, name);
      of_output += ", " + name;
      load(fmt::format("const {}* {}", type, name), name);
      element(raw_value(input, k, name, "(*b)"));
    } else if (input.access == Access::scalar) {
      parameters += fmt::format(", {} {}", type, name);
      pointers += fmt::format("  {} {};\n", type, name);
      inputs += fmt::format("  {} {};\n", type, name);
      names += ", " + name;
      of_output += ", " + name;
      load(fmt::format("{} {}", type, name), name);
      element(name);
    } else {
      pointer(type, name, false);
      inputs += fmt::format("  const {}* {};\n", type, name);
      of_output += fmt::format(", moved({}, {})", name, offset());
      const int width = stands_still(input) ? 1 : spec_.width;
      load(fmt::format("pack<{}, {}> {}", type, width, name),
           fmt::format("load_pack<{}>(moved({}, {}))", width, name, in_reduced(width, itemsize(input.storage))));
      element(fmt::format("{}.v[{}]", name, width == 1 ? "0" : "w"));
    }
    ++count;
  }
  void add_mask() {
    pointer("uint8", "mask", false);
    inputs += "  const uint8* mask;\n";
    of_output += fmt::format(", moved(mask, {})", offset());
    load(fmt::format("pack<uint8, {}> mask", spec_.width),
         fmt::format("load_pack<{}>(moved(mask, {}))", spec_.width, in_reduced(spec_.width, 1)));
    counts = "mask.v[w] != 0";
    ++count;
  }
  void add_index() {
    parameters += ", int64 first";
    pointers += "  int64 first;\n";
    inputs += "  int64 first;\n";
    names += ", first";
    load("int64 first", fmt::format("first + where.offset(space.stride[{}])", count));
    // Outputs move it as well where elements are counted over all of them.
    const bool moves = text_.stages && text_.stages->counts_all();
    of_output += moves ? fmt::format(", first + {}", offset()) : ", first";
    number = fmt::format("first + {}", offset());
    if (elements_of_pack(spec_) > 1) {
      load("int64 step", fmt::format("space.stride[{}][{}]", count, spec_.reduced_rank - 1));
      element("first + w * step");
    } else if (moves && spec_.mapping == Mapping::columns && spec_.width > 1) {
      inputs += "  int64 across;\n";
      of_output += fmt::format(", kept.stride[{}][{}]", count, spec_.kept_rank - 1);
      load("int64 across", "across");
      element("first + w * across");
    } else {
      element("first");
    }
    ++count;
  }
  void add_beside() {
    parameters += ", const beside b";
    pointers += "  const beside& b;\n";
    inputs += "  const beside* b;\n";
    names += ", b";
    of_output += ", &b";
    load("const beside* b", "b");
    if (text_.stages->map_places.any_axes() || text_.stages->counts_all()) element("*b");
    ++count;
  }
  void add_output(std::size_t k) {
    const std::string name = fmt::format("y{}", k);
    pointer(stored_name(spec_.outputs[k].storage), name, true);
    results += fmt::format(", *moved({}, at.offset(kept.stride[{}]))", name, count);
    ++count;
  }

  const ReductionSpec& spec_;
  const UserText& text_;
};

/// The identity where inputs take part in it, of elements in a pack and of what takes results.
std::string identity_of_pack(const ReductionSpec& spec, const UserText& text) {
  if (!identity_takes(spec, text)) return "";
  std::string list;
  for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
    if ((text.stages->identity_inputs >> k & 1U) == 0) continue;
    const OperandSpec& input = spec.inputs[k];
    const std::string name = fmt::format("x{}", k);
    list += list.empty() ? "" : ", ";
    list += input.access == Access::raw      ? raw_value(input, k, name, "(*b)")
            : input.access == Access::scalar ? name
                                             : name + ".v[0]";
  }
  return fmt::format("    KILN_FN reduction::accumulator identity() const {{ return reduction::identity({}); }}\n", list);
}

std::string identity_of_work(const ReductionSpec& spec, const UserText& text) {
  if (!identity_takes(spec, text)) return "";
  return fmt::format(
      "  KILN_FN reduction::accumulator identity() const {{ return reduction::identity({}); }}\n",
      identity_arguments(spec, text, {.arrays = "", .scalar = "", .by_pointer = false, .beside = "b", .number = ""}));
}

}  // namespace

std::string reduction_gpu(const ReductionSpec& spec, const UserText& text) {
  const Operands operands(spec, text);
  const std::string index = spec.wide_index ? "uint64" : "uint32";
  const bool shares = !spec.ordered && (spec.part || spec.mapping == Mapping::block || spec.mapping == Mapping::columns);
  const std::string ends =
      post_arguments(spec, text, {.arrays = "", .scalar = "", .by_pointer = false, .beside = "b", .number = operands.number});
  std::string out = beside_struct(spec, text) + fmt::format("struct reduction {{\n{}}};\n", reduction_members(spec, text));
  out += fmt::format("using kept_space = space<{0}, {1}, {3}>;\nusing reduced_space = space<{0}, {2}, {3}>;\n", index,
                     spec.kept_rank, spec.reduced_rank, operands.count);
  // The elements of one output, `width` of them in a pack along the innermost reduced axis.
  out += fmt::format(
      "struct elements {{\n  using index = {8};\n  const reduced_space& space;\n{0}"
      "  struct loaded {{\n{1}"
      "    KILN_FN reduction::accumulator at(int64 w) const {{ return reduction::mapped({2}); }}\n{9}"
      "    KILN_FN bool counts(int64 w) const {{ return {3}; }}\n  }};\n"
      "  KILN_FN loaded load(uint64 i) const {{\n    const place<{4}, {5}, {6}> where(space, {4}(i));\n    return {{{7}}};\n  "
      "}}\n"
      "  KILN_FN reduction::accumulator at(uint64 i) const {{ return load(i).at(0); }}\n"
      "  KILN_FN bool counts(uint64 i) const {{ return load(i).counts(0); }}\n"
      "  KILN_FN uint64 count(const reduction_call& call) const {{ return call.count; }}\n"
      "}};\n",
      operands.inputs, operands.packs, operands.values, operands.counts, index, spec.reduced_rank, elements_of_pack(spec),
      operands.loads, packs_follow(spec) ? "uint64" : index, identity_of_pack(spec, text));
  out += fmt::format(
      "struct work {{\n  const kept_space& kept;\n  const reduced_space& reduced;\n{0}{5}"
      "  KILN_FN elements source(uint64 output) const {{\n"
      "    const place<{1}, {2}, 1> at(kept, {1}(output));\n    return {{reduced{3}}};\n  }}\n"
      "  KILN_FN void put(uint64 output, const reduction::accumulator& a) const {{\n"
      "    const place<{1}, {2}, 1> at(kept, {1}(output));\n    reduction::post(a{4});\n  }}\n}};\n",
      operands.pointers, index, spec.kept_rank, operands.of_output, operands.results + ends, identity_of_work(spec, text));
  out += fmt::format(
      "KILN_KERNEL_OF({}) kiln_kernel(const kept_space kept, const reduced_space reduced, const reduction_call call{}) {{\n",
      blocks_at_once(spec), operands.parameters);
  if (shares) {
    out += fmt::format("  alignas(16) KILN_SHARED unsigned char cells[sizeof(counted<reduction>::state) * {}];\n",
                       spec.part                          ? kGpuBlock
                       : spec.mapping == Mapping::columns ? 192 * spec.width
                                                          : 32);
  }
  out += fmt::format("  const work w{{kept, reduced{}}};\n  {}\n}}\n", operands.names, loop_of(spec));
  return out;
}

}  // namespace kiln::kinds

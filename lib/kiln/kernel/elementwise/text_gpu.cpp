// The kernel on a GPU: how one pack of elements is loaded, computed and stored; walking is elementwise_gpu.hpp's.
#include <fmt/format.h>

#include <string>

#include "kernel/elementwise/text.hpp"

namespace kiln::kinds {
namespace {

class GpuKernel {
 public:
  GpuKernel(const ElementwiseSpec& spec, const Debug& debug) : spec_(spec), debug_(debug), nd_(needs_nd(spec)) {
    for (std::size_t k = 0; k < spec.inputs.size() + spec.outputs.size(); ++k) {
      add(k);
    }
    if (by_elements(spec)) beside_ = ", const beside b";
    if (spec.place.indexer) {
      members_ += fmt::format("  raw_axes<{}> axes;\n", std::max(spec.indexer_rank, 1));
      add_initializer("b.axes", "b.axes");
    }
    if (spec.place.any()) {
      members_ += "  kinds::ElementRange all;\n";
      add_initializer("b.all", "kinds::ElementRange{b.all.first + head, b.all.size}");
    }
  }

  [[nodiscard]] std::string text() const {
    const std::string index = spec_.wide_index ? "uint64" : "uint32";
    const int width = spec_.width;
    const std::size_t operands = spec_.inputs.size() + spec_.outputs.size();
    std::string out;
    std::string place;
    if (nd_) {
      out += fmt::format("using index_space = space<{}, {}, {}>;\n", index, spec_.rank, operands);
      place = fmt::format("    const place<{}, {}, {}> at(s, i);\n", index, spec_.rank, width);
    } else {
      place = fmt::format("    const {} at = i * {};\n", index, width);
    }
    if (by_elements(spec_)) out += beside_struct(spec_);
    out += "struct work {\n" + members_ + (nd_ ? "  const index_space& s;\n" : "");
    if (peeled() && debug_.any()) out += "  int64 first;\n";
    out += fmt::format("  struct loaded {{\n{}  }};\n", raw_);
    out += fmt::format("  KILN_FN loaded load({} i) const {{\n{}    loaded x;\n{}    return x;\n  }}\n", index,
                       nd_ || !loads_.empty() ? place : "", loads_);
    out += fmt::format("  KILN_FN void finish({} i, const loaded& x) const {{\n{}{}", index, nd_ ? "" : place, results_);
    if (keeps()) {
      out += fmt::format("    boolean kept[{}];\n", width);
    }
    out += fmt::format("#pragma unroll\n    for (int k = 0; k < {}; ++k) {{\n      {}\n{}{}    }}\n{}  }}\n", width,
                       entered(fmt::format("{}int64(i) * {} + k", peeled() ? "first + " : "", width)) +
                           evaluation(spec_, arguments_, debug_, "where", fmt::format("all.first + int64(i) * {} + k", width)),
                       keeps() ? "      kept[k] = !where;\n" : "", keeps_, stores_);
    if (!nd_ && width > 1) {
      out += fmt::format("  KILN_FN void one({} i) const {{\n    {}\n{}{}  }}\n", index,
                         entered("i") + evaluation(spec_, single_arguments_, debug_, "where", "all.first + int64(i)"),
                         keeps() ? "    if (!where) return;\n" : "", single_stores_);
    }
    const std::string more = peeled() ? fmt::format(", {} head", index) : nd_ ? ", const index_space s" : "";
    out += fmt::format("}};\nKILN_KERNEL kiln_kernel({} n{}{}{}) {{\n", index, more, parameters_, beside_);
    const bool numbers = peeled() && debug_.any();
    out += fmt::format("  const work w{{{}{}{}}};\n", initializers_, nd_ ? ", s" : "", numbers ? ", 0" : "");
    if (peeled()) {
      out += fmt::format("  const work aligned{{{}{}}};\n", behind_head_, numbers ? ", int64(head)" : "");
      return out + fmt::format("  walk<{}>((n - head) / {}, aligned);\n  rest_around<{}>(n, head, w);\n}}\n", spec_.unroll,
                               width, width);
    }
    out += nd_ ? fmt::format("  walk<{}>(n, w);\n}}\n", spec_.unroll)
               : fmt::format("  walk<{}>(n / {}, w);\n  rest<{}>(n, w);\n}}\n", spec_.unroll, width, width);
    return out;
  }

 private:
  [[nodiscard]] std::string entered(const std::string& item) const {
    return debug_.any() ? "KILN_ENTER_ITEM(" + item + "); " : "";
  }
  [[nodiscard]] bool keeps() const { return spec_.masking == Masking::keep; }
  [[nodiscard]] bool peeled() const { return spec_.walk == Walk::peeled; }

  void add(std::size_t k) {
    const bool input = k < spec_.inputs.size();
    const OperandSpec& operand = input ? spec_.inputs[k] : spec_.outputs[k - spec_.inputs.size()];
    const std::string type = stored_name(operand.storage);
    const std::string constness = input ? "const " : "";
    const std::string p = fmt::format("p{}", k);
    if (operand.access == Access::raw) {
      add_raw(operand, k, p);
      return;
    }
    add_initializer(p, p + (operand.access == Access::contiguous ? " + head" : ""));
    if (operand.access == Access::scalar) {
      parameters_ += fmt::format(", {} {}", type, p);
      members_ += fmt::format("  {} {};\n", type, p);
      arguments_.push_back(loaded(operand, p));
      single_arguments_.push_back(loaded(operand, p));
      return;
    }
    parameters_ += fmt::format(", {}{}*{} {}", constness, type, spec_.aliased ? "" : " __restrict__", p);
    members_ += fmt::format("  {}{}* {};\n", constness, type, p);
    const int width = operand.access == Access::broadcast ? 1 : spec_.width;
    const std::string pack = fmt::format("pack<{}, {}>", type, width);
    // The address of the pack: in the flat form a broadcast operand has one value only.
    const std::string offset = nd_ ? fmt::format("at.offset(s.stride[{}])", k) : "at";
    const std::string address = nd_ ? fmt::format("moved({}, {})", p, input ? offset : fmt::format("x.o{}", k))
                                : width == 1 && operand.access == Access::broadcast ? p
                                                                                    : p + " + at";
    const std::string stride = fmt::format("s.stride[{}][{}]", k, spec_.rank - 1);
    if (input) {
      raw_ += fmt::format("    {} x{};\n", pack, k);
      loads_ += operand.access == Access::strided
                    ? fmt::format("    x.x{} = load_strided<{}>({}, {});\n", k, width, address, stride)
                    : fmt::format("    x.x{} = load_pack<{}>({});\n", k, width, address);
      arguments_.push_back(loaded(operand, fmt::format("x.x{}.v[{}]", k, width == 1 ? "0" : "k")));
      single_arguments_.push_back(loaded(operand, operand.access == Access::broadcast ? "*" + p : p + "[i]"));
      return;
    }
    if (nd_) {
      raw_ += fmt::format("    int64 o{};\n", k);
      loads_ += fmt::format("    x.o{} = {};\n", k, offset);
    }
    const std::string result = stored(operand, fmt::format("r{}", k - spec_.inputs.size()));
    results_ += fmt::format("    {} y{};\n", pack, k);
    keeps_ += fmt::format("      y{}.v[k] = {};\n", k, result);
    const std::string where = keeps() ? ", kept" : "";
    stores_ += operand.access == Access::strided
                   ? fmt::format("    store_strided<{}>({}, {}, y{}{});\n", width, address, stride, k, where)
                   : fmt::format("    store_pack<{}>({}, y{}{});\n", width, address, k, where);
    single_stores_ += fmt::format("    {}[i] = {};\n", p, result);
  }

  void add_initializer(const std::string& own, const std::string& behind_head) {
    const std::string comma = initializers_.empty() ? "" : ", ";
    initializers_ += comma + own;
    behind_head_ += comma + behind_head;
  }

  void add_raw(const OperandSpec& operand, std::size_t k, const std::string& p) {
    const bool input = k < spec_.inputs.size();
    const std::string type = raw_type(operand, input ? k : arguments_of(spec_) + k - spec_.inputs.size(), !input);
    parameters_ += fmt::format(", {}::kiln::{}*{} {}", input ? "const " : "", type_name(operand.compute),
                               spec_.aliased ? "" : " __restrict__", p);
    members_ += fmt::format("  {} {};\n", type, p);
    const std::string made = fmt::format("{}({}, b.n{})", type, p, k);
    add_initializer(made, made);
    if (!input) return;
    arguments_.push_back(p);
    single_arguments_.push_back(p);
  }

  const ElementwiseSpec& spec_;
  const Debug& debug_;
  bool nd_;
  std::string beside_, parameters_, members_, initializers_, behind_head_, raw_, loads_, results_, keeps_, stores_,
      single_stores_;
  std::vector<std::string> arguments_, single_arguments_;
};

}  // namespace

std::string gpu_kernel(const ElementwiseSpec& spec, const Debug& debug) {
  return GpuKernel(spec, debug).text();
}

}  // namespace kiln::kinds

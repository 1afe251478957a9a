// The kernel on a GPU that goes by strips of rows: how one element is loaded, computed and stored; walking is gpu_strips.hpp's.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "kinds/kernel_text.hpp"

namespace kiln::kinds {
namespace {

class StripKernel {
 public:
  StripKernel(const ElementwiseSpec& spec, const Debug& debug) : spec_(spec), debug_(debug) {
    for (std::size_t k = 0; k < count(); ++k) add(k);
    if (debug.any()) add_member("int64", "first", "at.number(s, i, columns)");
  }

  [[nodiscard]] std::string text() const {
    std::string out = fmt::format("using index_space = space<uint32, {}, {}>;\n", spec_.rank, count());
    out += fmt::format("struct work {{\n{}  struct loaded {{\n{}  }};\n", members_, raw_);
    out += fmt::format("  KILN_FN loaded load(int k) const {{\n    loaded x;\n{}    return x;\n  }}\n", loads_);
    out += "  KILN_FN void finish(int k, const loaded& x) const {\n";
    if (debug_.any()) out += "    KILN_ENTER_ITEM(first + k * kStripLanes);\n";
    out += fmt::format("    {}\n{}  }}\n}};\n", evaluation(spec_, arguments_, debug_), stores_);
    out += fmt::format("KILN_KERNEL kiln_kernel(uint32 n, const index_space s, uint32 columns{}) {{\n", parameters_);
    out += "  const uint64 step = KILN_GRID_THREADS(x) / kStripLanes;\n#pragma unroll 1\n";
    out += "  for (uint64 strip = (uint64(blockIdx.x) * blockDim.x + threadIdx.x) / kStripLanes; strip < n; strip += step) {\n";
    out += fmt::format("    const uint32 i = uint32(strip);\n    const strip_place<{}, {}> at(s, i, columns);\n", spec_.rank,
                       spec_.width);
    out += fmt::format("    const work w{{{}}};\n    compute_strip<{}>(w, at.count);\n  }}\n}}\n", initializers_, spec_.width);
    return out;
  }

 private:
  [[nodiscard]] std::size_t count() const { return spec_.inputs.size() + spec_.outputs.size(); }

  void add_member(const std::string& type, const std::string& name, const std::string& value) {
    members_ += fmt::format("  {} {};\n", type, name);
    initializers_ += (initializers_.empty() ? "" : ", ") + value;
  }

  void add(std::size_t k) {
    const bool input = k < spec_.inputs.size();
    const OperandSpec& operand = input ? spec_.inputs[k] : spec_.outputs[k - spec_.inputs.size()];
    const std::string type = stored_name(operand.storage);
    const std::string p = fmt::format("p{}", k);
    if (operand.access == Access::scalar) {
      parameters_ += fmt::format(", {} {}", type, p);
      add_member(type, p, p);
      arguments_.push_back(loaded(operand, p));
      return;
    }
    const std::string element = (input ? "const " : "") + type;
    parameters_ += fmt::format(", {}*{} {}", element, spec_.aliased ? "" : " __restrict__", p);
    const std::string stride = fmt::format("s.stride[{}]", k);
    std::string at = "*" + p;
    std::string how = "broadcast";
    if (operand.access == Access::contiguous) {
      how = "contiguous";
      at = p + "[k * kStripLanes]";
    } else if (operand.access == Access::strided) {
      how = "strided";
      at = fmt::format("*moved({}, k * step{})", p, k);
    }
    add_member(element + "*", p, fmt::format("at.{}({}, {})", how, p, stride));
    if (operand.access == Access::strided) {
      add_member("int64", fmt::format("step{}", k), fmt::format("kStripLanes * {}[{}]", stride, spec_.rank - 1));
    }
    if (input) {
      raw_ += fmt::format("    {} x{};\n", type, k);
      loads_ += fmt::format("    x.x{} = {};\n", k, at);
      arguments_.push_back(loaded(operand, fmt::format("x.x{}", k)));
      return;
    }
    const std::string result = stored(operand, fmt::format("r{}", k - spec_.inputs.size()));
    stores_ += fmt::format("    {}{} = {};\n", spec_.masking == Masking::keep ? "if (where) " : "", at, result);
  }

  const ElementwiseSpec& spec_;
  const Debug& debug_;
  std::string parameters_, members_, initializers_, raw_, loads_, stores_;
  std::vector<std::string> arguments_;
};

}  // namespace

std::string strip_kernel(const ElementwiseSpec& spec, const Debug& debug) {
  return StripKernel(spec, debug).text();
}

}  // namespace kiln::kinds

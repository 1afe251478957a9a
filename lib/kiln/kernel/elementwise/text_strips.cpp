// The kernel on a GPU that goes by strips of rows: how one element is loaded, computed and stored; walking is gpu_strips.hpp's.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "kernel/elementwise/element_text.hpp"
#include "kernel/elementwise/text.hpp"

namespace kiln::kinds {
namespace {

class StripKernel : ElementText {
 public:
  StripKernel(const ElementwiseSpec& spec, const Debug& debug) : ElementText(spec, debug) {
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
  void add(std::size_t k) {
    if (add_parameter(k)) return;
    const bool input = is_input(k);
    const OperandSpec& operand = this->operand(k);
    const std::string type = stored_name(operand.storage);
    const std::string element = this->element(k);
    const std::string p = fmt::format("p{}", k);
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

  std::string raw_, loads_, stores_;
};

}  // namespace

std::string strip_kernel(const ElementwiseSpec& spec, const Debug& debug) {
  return StripKernel(spec, debug).text();
}

}  // namespace kiln::kinds

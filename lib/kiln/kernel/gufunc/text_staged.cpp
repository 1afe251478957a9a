// The kernel of a generalized ufunc on a GPU whose blocks copy cores to shared memory: what is copied, and what a thread
// computes then; how is staged_gpu.hpp's.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "kernel/gufunc/operands_text.hpp"
#include "kernel/gufunc/staged.hpp"
#include "kernel/gufunc/text.hpp"

namespace kiln::kinds {
namespace {

class StagedKernel {
 public:
  explicit StagedKernel(const GufuncSpec& spec) : spec_(spec), last_(spec.loop_rank - 1) {
    const auto operands = operands_of(spec);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (k == spec.inputs.size() && spec.masked) parameters_ += ", const uint8* __restrict__ mask";
      add(k, *operands[k]);
    }
    for (const EachSpec& each : spec.each) units_ *= *spec.dimensions[each.dimension].size;
    units_ /= spec.beside;
  }

  [[nodiscard]] std::string text() const {
    const bool drains = !drain_.empty();
    std::string out = fmt::format(
        "using index_space = space<uint32, {0}, {1}>;\n"
        "KILN_KERNEL_OF(2) kiln_kernel(uint32 n, const index_space s, const core c, const StagedCall call{2}) {{\n"
        "  alignas(16) extern KILN_SHARED unsigned char kiln_staged[];\n"
        "{3}  const uint32 pitch = {4};\n{5}"
        "#pragma unroll 1\n  for (uint32 i = blockIdx.x; i < n; i += gridDim.x) {{\n"
        "    const items_of_block<{0}> at(s, i, call);\n{6}{7}    KILN_BARRIER();\n",
        spec_.loop_rank, count(), parameters_, bytes_, pitch_text(), common_text(), places_, outputs_text() + fill_);
    out += fmt::format(
        "#pragma unroll 1\n    for (uint32 u = threadIdx.x; u < at.count * {0}u; u += call.threads) {{\n"
        "      const uint32 x = u / {0}u;\n{1}{2}one(c{3});\n    }}\n",
        units_, mask_text(), neighbours_text(), arguments_ + indices_text());
    if (drains) out += "    KILN_BARRIER();\n" + drain_;
    return out + "    if (n - i > gridDim.x) KILN_BARRIER();\n  }\n}\n";
  }

 private:
  [[nodiscard]] std::size_t mask() const { return spec_.masked ? 1 : 0; }
  [[nodiscard]] std::size_t count() const { return spec_.inputs.size() + mask() + spec_.outputs.size(); }

  static std::string sum_of(const std::vector<std::string>& terms) {
    std::string sum;
    for (const std::string& term : terms) sum += (sum.empty() ? "" : " + ") + term;
    return sum.empty() ? "0" : sum;
  }

  void add(std::size_t k, const CoreOperandSpec& operand) {
    const bool output = k >= spec_.inputs.size();
    const std::string type = stored_name(operand.element.storage);
    if (!in_memory(operand)) {
      parameters_ += fmt::format(", const {} p{}", type, k);
      arguments_ += fmt::format(", p{}", k);
      return;
    }
    const std::size_t row = output ? k + mask() : k;
    const std::string element = (output ? "" : "const ") + type;
    parameters_ += fmt::format(", {}* __restrict__ p{}", element, k);
    places_ += fmt::format("    {0}* const q{1} = moved(p{1}, at.first.offset(s.stride[{2}]));\n", element, k, row);
    if (operand.staging == Staging::none) {
      arguments_ += fmt::format(", moved(q{}, int64(x) * s.stride[{}][{}])", k, row, last_);
      return;
    }
    add_staged(k, row, operand, element);
  }

  void add_staged(std::size_t k, std::size_t row, const CoreOperandSpec& operand, const std::string& element) {
    const bool common = operand.staging == Staging::common;
    std::vector<std::string>& before = common ? common_ : item_;
    std::string bytes = fmt::format("uint32({})", itemsize(operand.element.storage));
    for (const std::size_t dimension : operand.dimensions) bytes += " * uint32(" + size_of(spec_, dimension, "c") + ")";
    bytes_ += fmt::format("  const uint32 bytes{} = {};\n", k, bytes);
    places_ += fmt::format(
        "    const staged_cores<{}, {}, {}> t{}{{{} + ({}), q{}, {}, {}, bytes{}, {}, call.threads, (call.wide >> {} & 1) != "
        "0}};\n",
        element, staged_word(spec_, operand), spec_.each.empty(), k, common ? "common" : "kiln_staged", sum_of(before), k,
        common ? "0" : "pitch", common ? "0" : fmt::format("int32(s.stride[{}][{}])", row, last_), k, common ? "1" : "at.count",
        row);
    before.push_back(fmt::format("staged_bytes(bytes{}, {})", k, staged_cell(spec_)));
    arguments_ += fmt::format(", t{}.core({})", k, common ? "0" : "x");
    const std::string fill = fmt::format("t{}.copy<copying::fill>();\n", k);
    if (k < spec_.inputs.size()) {
      fill_ += "    " + fill;
      return;
    }
    keep_ += "      " + fill;
    drain_ += fmt::format("    t{}.copy<copying::drain>();\n", k);
  }

  /// Outputs hold what they held, or zeros: a body may leave elements as they are.
  [[nodiscard]] std::string outputs_text() const {
    if (keep_.empty()) return "";
    return fmt::format(
        "    if (call.keeps != 0) {{\n{}    }} else {{\n"
        "      clear_shared(kiln_staged, call.items * pitch, call.threads);\n      KILN_BARRIER();\n    }}\n",
        keep_);
  }
  [[nodiscard]] std::string pitch_text() const {
    return spec_.each.empty() ? fmt::format("staged_pitch({}, {})", sum_of(item_), staged_cell(spec_)) : sum_of(item_);
  }
  [[nodiscard]] std::string common_text() const {
    return common_.empty() ? "" : "  unsigned char* const common = kiln_staged + call.items * pitch;\n";
  }
  [[nodiscard]] std::string mask_text() const {
    if (!spec_.masked) return "";
    return fmt::format(
        "      if (*moved(mask, at.first.offset(s.stride[{0}]) + int64(x) * s.stride[{0}][{1}]) == 0) continue;\n",
        spec_.inputs.size(), last_);
  }
  [[nodiscard]] std::string neighbours_text() const {
    if (spec_.beside == 1) return "      ";
    return fmt::format("#pragma unroll\n      for (index beside = 0; beside < {}; ++beside) ", spec_.beside);
  }
  /// Of a thread's indices of .each, whose sizes are constants.
  [[nodiscard]] std::string indices_text() const {
    std::string text;
    std::int64_t below = 1;  // of the indices that move faster
    for (std::size_t e = spec_.each.size(); e-- > 0;) {
      const bool last = e + 1 == spec_.each.size();
      const std::int64_t size = *spec_.dimensions[spec_.each[e].dimension].size / (last ? spec_.beside : 1);
      const std::string index = fmt::format("index(u / {}u % {}u)", below, size);
      text = fmt::format(", {}{}", index, last && spec_.beside > 1 ? fmt::format(" * {} + beside", spec_.beside) : "") + text;
      below *= size;
    }
    return text;
  }

  const GufuncSpec& spec_;
  int last_;
  std::int64_t units_ = 1;  // of an item: what threads compute
  std::string parameters_, bytes_, places_, fill_, keep_, drain_, arguments_;
  std::vector<std::string> item_, common_;  // bytes of the cores so far
};

}  // namespace

std::string staged_kernel(const GufuncSpec& spec) {
  return StagedKernel(spec).text();
}

}  // namespace kiln::kinds

// The kernel on a GPU that goes by tiles: which operands go through them, and how one element is loaded, computed and stored;
// walking is gpu_tiles.hpp's.
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "kernel/elementwise/element_text.hpp"
#include "kernel/elementwise/text.hpp"
#include "kernel/elementwise/tiles.hpp"

namespace kiln::kinds {
namespace {

class TiledKernel : ElementText {
 public:
  TiledKernel(const ElementwiseSpec& spec, const Debug& debug) : ElementText(spec, debug) {
    for (std::size_t k = 0; k < count(); ++k) add(k);
    if (keeps() && drains_) add_tile("kept", "uint8");
  }

  [[nodiscard]] std::string text() const {
    std::string out = fmt::format("using index_space = space<uint32, {}, {}>;\n", spec_.rank, count() + 1);
    out += fmt::format("using in_tile = tile_place<{}, {}>;\n", spec_.rank, spec_.tile);
    out += fmt::format("struct work {{\n  const index_space& s;\n{}", members_);
    out += fmt::format("  static constexpr bool fills = {}, drains = {};\n", fills_, drains_);
    out += fmt::format("  KILN_FN void fill(const in_tile& at) {{\n{}  }}\n", fill_);
    out += fmt::format("  KILN_FN void drain(const in_tile& at) {{\n{}  }}\n", drain_);
    out += fmt::format("  struct loaded {{\n{}  }};\n", raw_);
    out += fmt::format("  KILN_FN loaded load(const in_tile& at, int k) {{\n    loaded x;\n{}    return x;\n  }}\n", loads_);
    out += "  KILN_FN void finish(const in_tile& at, int k, const loaded& x) {\n";
    if (debug_.any()) out += fmt::format("    KILN_ENTER_ITEM(at.number(s.stride[{}], k));\n", count());
    out += fmt::format("    {}\n{}  }}\n}};\n", evaluation(spec_, arguments_, debug_), stores_);
    out += fmt::format("KILN_KERNEL kiln_kernel(uint32 n, const index_space s, uint32 rows, uint32 columns{}) {{\n{}",
                       parameters_, tiles_);
    out += fmt::format("  const uint32 blocks = KILN_GRID_BLOCKS({});\n", tile_threads(spec_.tile));
    out += "#pragma unroll 1\n  for (uint32 i = blockIdx.x; i < n; i += blocks) {\n";
    out += fmt::format("    const in_tile at(s, i, rows, columns);\n    work w{{s, {}}};\n", initializers_);
    out += fmt::format("    compute_tile<{}>(at, w, n - i > blocks);\n  }}\n}}\n", spec_.unroll);
    return out;
  }

 private:
  [[nodiscard]] bool keeps() const { return spec_.masking == Masking::keep; }

  void add_tile(const std::string& name, const std::string& type) {
    const std::string tile = fmt::format("tile<{}, {}>", type, spec_.tile);
    tiles_ += fmt::format("  KILN_SHARED {} {};\n", tile, name);
    add_member(tile + "&", name, name);
  }

  void add(std::size_t k) {
    if (add_parameter(k)) return;
    const bool input = is_input(k);
    const OperandSpec& operand = this->operand(k);
    const std::string type = stored_name(operand.storage);
    const std::string element = this->element(k);
    const std::string p = fmt::format("p{}", k);
    const bool across = operand.access == Access::across;
    const std::string stride = fmt::format("s.stride[{}]", k);
    const std::string inner = operand.access == Access::contiguous  ? fmt::format("sizeof({})", type)
                              : operand.access == Access::broadcast ? "0"
                                                                    : fmt::format("{}[{}]", stride, spec_.rank - 1);
    add_member(fmt::format("lane<{}>", element), p,
               across ? fmt::format("at.across({}, {})", p, stride) : fmt::format("at.along({}, {}, {})", p, stride, inner));
    if (across) add_tile(fmt::format("t{}", k), type);
    input ? add_input(k, operand, across) : add_output(k, operand, across);
  }

  void add_input(std::size_t k, const OperandSpec& operand, bool across) {
    raw_ += fmt::format("    {} x{};\n", stored_name(operand.storage), k);
    arguments_.push_back(loaded(operand, fmt::format("x.x{}", k)));
    if (!across) {
      loads_ += fmt::format("    x.x{0} = *p{0};\n    p{0}.move_on();\n", k);
      return;
    }
    fills_ = true;
    fill_ += fmt::format("    at.fill(t{0}, p{0});\n", k);
    loads_ += fmt::format("    x.x{0} = at.cell(t{0}, k);\n", k);
  }

  void add_output(std::size_t k, const OperandSpec& operand, bool across) {
    const std::string result = stored(operand, fmt::format("r{}", k - spec_.inputs.size()));
    if (!across) {
      stores_ += fmt::format("    {0}*p{1} = {2};\n    p{1}.move_on();\n", keeps() ? "if (where) " : "", k, result);
      return;
    }
    if (keeps() && !drains_) stores_ += "    at.cell(kept, k) = !where;\n";
    drains_ = true;
    drain_ += fmt::format("    at.drain(t{0}, p{0}{1});\n", k, keeps() ? ", kept" : "");
    stores_ += fmt::format("    at.cell(t{}, k) = {};\n", k, result);
  }

  bool fills_ = false;
  bool drains_ = false;
  std::string tiles_, fill_, drain_, raw_, loads_, stores_;
};

}  // namespace

std::string tiled_kernel(const ElementwiseSpec& spec, const Debug& debug) {
  return TiledKernel(spec, debug).text();
}

}  // namespace kiln::kinds

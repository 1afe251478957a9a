// Layout strings of generalized ufuncs: "(m,n),(n,p)->(m,p)", "(n?,k),(k,m?)->(n?,m?)", "(3),(3)->(3)", "(n|1),(n|1)->()".
// Text to value; every error has its place in the text. The grammar stands in docs/gufuncs.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::signature {

/// Of a ufunc or a generalized ufunc: inputs and outputs together.
inline constexpr std::size_t kMaxOperands = 32;

struct CoreDimension {
  std::string name;                  ///< of a fixed one its size in plain decimals: "3"
  std::optional<std::int64_t> size;  ///< where the text gives it; more than 0
  bool optional = false;             ///< '?': counts as 1 where an operand has too few dimensions for it
};

/// The core dimensions of each operand, as indices into `dimensions`.
struct Layout {
  std::string text;                       ///< on one line
  std::vector<CoreDimension> dimensions;  ///< each once, by first appearance; equal fixed sizes are one
  std::vector<std::vector<std::size_t>> inputs;
  std::vector<std::vector<std::size_t>> outputs;
  std::vector<std::vector<bool>> stretching;  ///< '|1', of each core dimension of each input: an extent of 1 broadcasts

  [[nodiscard]] std::size_t operands() const noexcept { return inputs.size() + outputs.size(); }
  /// Of an operand, inputs counted first.
  [[nodiscard]] const std::vector<std::size_t>& of(std::size_t operand) const noexcept {
    return operand < inputs.size() ? inputs[operand] : outputs[operand - inputs.size()];
  }
  /// Whether the operand may have an extent of 1 along its core dimension at this index, and so broadcasts. No output may.
  [[nodiscard]] bool stretches(std::size_t operand, std::size_t index) const noexcept {
    return operand < inputs.size() && stretching[operand][index];
  }
  /// The dimension of that name; nothing where there is none.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;
  /// Whether an input has the dimension.
  [[nodiscard]] bool in_inputs(std::size_t dimension) const noexcept;
};

/// SignatureError with the position where the text is no layout.
[[nodiscard]] Layout parse_layout(std::string_view text);

}  // namespace kiln::signature

// What a fused function does, as a list of steps: each applies a ufunc to parameters, constants and results of earlier steps.
// No dtypes yet. A pure value.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fusion/expr_node.hpp"

namespace kiln::fusion {

struct Graph {
  struct Operand {
    enum class Kind : std::uint8_t { parameter, constant, step };
    Kind kind = Kind::parameter;
    std::size_t index = 0;   ///< among those of its kind
    std::size_t output = 0;  ///< of a step
    friend auto operator<=>(const Operand&, const Operand&) = default;
  };
  struct Step {
    std::shared_ptr<const detail::UfuncImpl> ufunc;
    std::vector<Operand> inputs;
    Arithmetic arithmetic = {};
  };
  std::size_t parameters = 0;
  std::vector<Constant> constants;
  std::vector<Step> steps;  ///< each behind those that it needs
  std::vector<Operand> outputs;
};

inline constexpr std::size_t kMaxSteps = 10'000;

/// What the results need, and no more; equal steps are one. TypeError for a result that is a constant or empty, for a
/// parameter of another scope, and for more than kMaxSteps steps.
[[nodiscard]] Graph make_graph(const std::shared_ptr<const Scope>& scope, std::size_t parameters,
                               std::span<const Expr> results);

}  // namespace kiln::fusion

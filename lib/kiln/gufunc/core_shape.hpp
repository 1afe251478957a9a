// The shapes of a generalized ufunc's call: which axes of each operand are core dimensions and which are looped over, how large
// every core dimension is, and the shapes of the outputs. Pure; knows no strides, dtypes or devices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/shape.hpp"
#include "signature/layout.hpp"
#include "signature/size_rules.hpp"

namespace kiln::gufunc {

/// What does not change from call to call.
struct CoreDefinition {
  std::string_view name;                    ///< of the gufunc: errors begin with it
  std::span<const std::string> parameters;  ///< names of inputs, then outputs, for errors; fewer or empty ones are left out
  const signature::Layout& layout;
  const signature::SizeRules& rules;
};

/// The call. A scalar input has the shape ().
struct CoreRequest {
  std::span<const Shape* const> inputs;
  std::span<const Shape* const> outputs = {};   ///< null, or none at all: to be allocated
  std::span<const std::vector<int>> axes = {};  ///< none, or one for each operand (for each input where that is enough)
  std::optional<int> axis = std::nullopt;       ///< of the one core dimension, in every operand that has it
  bool keepdims = false;                        ///< outputs keep the inputs' core dimensions, with extent 1
  const Shape* where = nullptr;                 ///< broadcasts with the loop dimensions
};

/// An operand's own axes, by what the call does with them. An operand yet to be allocated has the shape of
/// CoreShape::output_shapes. Axes that stand in neither list have extent 1 (keepdims).
struct OperandAxes {
  Dims loop;  ///< of each loop dimension the operand's axis; -1 where it has none or has extent 1 and is broadcast
  Dims core;  ///< of each core dimension in the layout the operand's axis; -1 where it is dropped ('?') or stretched ('|1')
};

struct CoreShape {
  Shape loop;                         ///< the broadcast loop dimensions
  Dims sizes;                         ///< of each of the layout's dimensions; 1 where it is dropped
  std::vector<OperandAxes> operands;  ///< inputs, then outputs
  OperandAxes where;                  ///< its loop axes, where a mask is given
  std::vector<Shape> output_shapes;   ///< whole, with `axes` and `keepdims` applied
};

/// ShapeError, which begins with the name, for shapes that do not fit: checked in the order number of dimensions, axes, sizes
/// of inputs, size rules, sizes of outputs, loop dimensions. TypeError for an `axis` or `keepdims` that the layout does not
/// take, or `axis` beside `axes`. The number of inputs is the layout's, that of outputs the layout's or 0.
[[nodiscard]] CoreShape core_shape(const CoreDefinition& definition, const CoreRequest& request);

}  // namespace kiln::gufunc

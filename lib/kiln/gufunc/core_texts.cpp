#include "gufunc/core_texts.hpp"

#include <vector>

namespace kiln::gufunc {

std::string name_of(const CoreDefinition& definition, std::size_t operand) {
  const std::size_t nin = definition.layout.inputs.size();
  std::string text = operand >= nin ? "output " + std::to_string(operand - nin) : "input " + std::to_string(operand);
  if (operand < definition.parameters.size() && !definition.parameters[operand].empty()) {
    text += " (" + definition.parameters[operand] + ")";
  }
  return text;
}

std::string core_text(const signature::Layout& layout, std::size_t operand) {
  std::string text;
  const std::vector<std::size_t>& core = layout.of(operand);
  for (std::size_t k = 0; k < core.size(); ++k) {
    const signature::CoreDimension& dimension = layout.dimensions[core[k]];
    text += (text.empty() ? "" : ",") + dimension.name + (dimension.optional ? "?" : "") +
            (layout.stretches(operand, k) ? "|1" : "");
  }
  return "(" + text + ")";
}

std::string range_of_axes(std::size_t rank) {
  if (rank == 0) return ", which has none";
  return "; give " + std::to_string(-static_cast<std::int64_t>(rank)) + " to " + std::to_string(rank - 1);
}

std::string without_mark(const CoreDefinition& definition, std::size_t dimension, std::size_t operand) {
  return "; only where the layout has \"" + definition.layout.dimensions[dimension].name + "|1\" does 1 broadcast, and " +
         name_of(definition, operand) + " has it not";
}

}  // namespace kiln::gufunc

// Shapes as text, as Python writes tuples.
#include "kiln/shape.hpp"

namespace kiln {

std::string to_string(const Dims& dims) {
  std::string text = "(";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(dims[i]);
  }
  if (dims.size() == 1) text += ',';
  return text + ')';
}

}  // namespace kiln

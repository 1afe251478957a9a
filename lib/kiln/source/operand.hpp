// The operands of a definition, as messages speak of them.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kiln::codegen {

/// A parameter of a generalized ufunc or a raw kernel.
struct Operand {
  enum class Form { number, pointer, view };
  std::string name = {};  ///< empty: the body has none
  Form form = Form::number;
  std::vector<std::string> extents = {};  ///< of a view: the name or number of each extent, empty where it has none
  bool writable = false;
  std::string type = {};  ///< of a raw kernel's: the element type in the signature, "float32", "T"

  /// "A(i, j)", "p[i]", "w"; "o(0)" for a view without core dimensions.
  [[nodiscard]] std::string element() const {
    if (form != Form::view) return form == Form::number ? name : name + "[i]";
    if (type.empty() && extents.size() == 1 && extents[0].empty()) return name + "(0)";
    std::string indices;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      indices += (d == 0 ? "" : ", ") + (d < 4 ? std::string(1, "ijkl"[d]) : fmt::format("i{}", d));
    }
    return fmt::format("{}({})", name, indices);
  }
};

/// The operands of a definition, shared by its kernels; null: messages need none.
using Operands = std::shared_ptr<const std::vector<Operand>>;

}  // namespace kiln::codegen

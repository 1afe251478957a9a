// Functions of every kind as C handles.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "c/handle.hpp"
#include "c/transform.hpp"
#include "kiln/c/kiln.h"
#include "kiln/definition.hpp"

namespace kiln::c {

using Function = std::variant<Ufunc, Gufunc, Reduction, RawKernel, Transform>;

}  // namespace kiln::c

struct kiln_function : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::function;
  /// `text` is the definition if the function itself cannot give it.
  explicit kiln_function(kiln::c::Function made, std::string text = {})
      : Handle(kTag), function(std::move(made)), definition(std::move(text)) {}
  kiln::c::Function function;
  std::string definition;
};

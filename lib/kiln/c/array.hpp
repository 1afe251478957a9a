// Arrays as C handles.
#pragma once

#include <utility>

#include "c/handle.hpp"
#include "kiln/array.hpp"
#include "kiln/c/kiln.h"

struct kiln_array : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::array;
  explicit kiln_array(kiln::Array made) : Handle(kTag), array(std::move(made)) {}
  kiln::Array array;
};

// Arrays as C handles.
#pragma once

#include <utility>

#include "c/handle.hpp"
#include "kiln/array.hpp"
#include "kiln/c/kiln.h"
#include "kiln/host_memory.hpp"

struct kiln_array : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::array;
  explicit kiln_array(kiln::Array made) : Handle(kTag), array(std::move(made)) {}
  kiln::Array array;
};

struct kiln_registration : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::registration;
  explicit kiln_registration(kiln::HostRegistration made) : Handle(kTag), registration(std::move(made)) {}
  kiln::HostRegistration registration;
};

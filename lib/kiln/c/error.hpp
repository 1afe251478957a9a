// An error as a C handle.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "c/handle.hpp"
#include "kiln/c/kiln.h"

struct kiln_error : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::error;
  kiln_error(kiln_status code, std::string text) : Handle(kTag), status(code), message(std::move(text)) {}
  kiln_status status;
  std::string message;
  std::map<std::string, std::string, std::less<>> values;  ///< by key
};

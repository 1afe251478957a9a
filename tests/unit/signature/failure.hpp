// What a parser says of a text that it cannot read.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "kiln/error.hpp"

struct Failure {
  std::string message;  ///< its first line
  std::string below;    ///< the text with a caret
  std::size_t position = 0;
};

template <class F>
Failure failure_of(F&& f) {
  try {
    f();
  } catch (const kiln::SignatureError& error) {
    const std::string what = error.what();
    const std::size_t end = std::min(what.find('\n'), what.size());
    return {what.substr(0, end), what.substr(end), error.position()};
  }
  FAIL("nothing was thrown");
  return {};
}

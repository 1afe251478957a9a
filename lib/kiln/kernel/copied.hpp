// Launches that outlive the caller's: what they refer to is copied.
#pragma once

#include <utility>

namespace kiln::kinds {

/// Of a launch that owns its numbers.
template <class Launch>
struct Copied {
  explicit Copied(Launch from) : launch(std::move(from)) {}
  Launch launch;
};

}  // namespace kiln::kinds

// A command line that cannot be understood: exit status 2. Failures of the work itself are kiln::Error: exit status 1.
#pragma once

#include <stdexcept>

namespace kiln::tool {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace kiln::tool

// Ctrl-C as a question that a loop asks, while this object is there. A second one ends the process at once.
#pragma once

#include <csignal>

namespace kiln::tool {

class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// The signal that came (SIGINT or SIGTERM), or 0.
  [[nodiscard]] static int signal() noexcept;

 private:
  struct sigaction before_int_ = {};
  struct sigaction before_term_ = {};
};

}  // namespace kiln::tool

// A compile that found no end: it crashed, or met a limit.
#pragma once

#include <utility>

#include "kiln/error.hpp"

namespace kiln::backend {

/// To users it is a CompileError. There is nothing to be learned from compiling the text once more.
class CompilerEnded : public CompileError {
 public:
  /// `by_chance`: the next compile of the same text may go otherwise, and is not to be refused for this one.
  CompilerEnded(Details details, bool by_chance) : CompileError(std::move(details)), by_chance_(by_chance) {}
  [[nodiscard]] bool by_chance() const noexcept { return by_chance_; }

 private:
  bool by_chance_;
};

}  // namespace kiln::backend

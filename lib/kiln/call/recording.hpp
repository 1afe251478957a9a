// A capture of calls whose beginning and end are two statements.
#pragma once

#include "device/capture.hpp"
#include "kiln/graph.hpp"
#include "kiln/stream.hpp"

namespace kiln::call {

/// While it lives, launches of its thread to its stream are recorded. It ends on the thread that made it.
class Recording {
 public:
  /// Throws DeviceError if the thread records already.
  explicit Recording(const Stream& stream);

  /// Returns what was recorded so far.
  [[nodiscard]] Graph graph();

 private:
  Stream stream_;
  backend::Capture capture_;
};

}  // namespace kiln::call

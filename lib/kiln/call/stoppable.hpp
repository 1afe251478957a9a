// What surrounds calls of every kind: the floating-point environment that they compute in, their .stop and .timeout.
#pragma once

#include <string>

#include "device/capture.hpp"
#include "device/stop_request.hpp"
#include "shared/float_environment.hpp"

namespace kiln::call {

/// Returns call(stop) in the default floating-point environment. `stop` is what `options.stop` and `options.timeout` ask for;
/// null: nothing. Throws Stopped, with nothing written, if they are due before the call begins.
template <class Options, class Call>
auto stoppable(const std::string& name, const char* method, const Options& options, const Call& call) {
  const base::DefaultFloatEnvironment floats;
  const backend::StopRequest* const none = nullptr;
  if (!options.stop.stop_possible() && options.timeout.count() == 0) [[likely]]
    return call(none);
  backend::Capture::refuse(name + method, "a graph has no .stop and no .timeout; make the call without them");
  const backend::StopRequest request(name + method, options.stop, options.timeout);
  request.require_not_due(backend::kNothingWritten);
  return call(&request);
}

}  // namespace kiln::call

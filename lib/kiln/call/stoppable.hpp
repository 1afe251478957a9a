// What surrounds calls of every kind: the floating-point environment that they compute in, their .stop and .timeout.
#pragma once

#include <string>

#include "device/capture.hpp"
#include "device/stop_request.hpp"
#include "shared/float_environment.hpp"

namespace kiln::call {

/// call() in the default floating-point environment, which `options.stop` and `options.timeout` may end: what it launches finds
/// them in StopRequest::current(). Calls that it makes for itself are ended by its own. Stopped, with nothing written, where
/// they are due before it begins.
template <class Options, class Call>
auto stoppable(const std::string& name, const char* method, const Options& options, const Call& call) {
  const base::DefaultFloatEnvironment floats;
  const bool may_stop = options.stop.stop_possible() || options.timeout.count() != 0;
  if (!may_stop || backend::StopRequest::current() != nullptr) [[likely]]
    return call();
  backend::Capture::refuse(name + method, "a graph has no .stop and no .timeout; make the call without them");
  const backend::StopRequest request(name + method, options.stop, options.timeout);
  request.require_not_due(backend::kNothingWritten);
  const backend::StopScope scope(&request);
  return call();
}

}  // namespace kiln::call

// What could not run here: counted for each kind of device, and printed for the script that runs the tests.
#pragma once

#include <string>

namespace conformance {

/// Notes the running case as one that wants every device.
void note_device_case();
/// Notes the running case as not run for want of `what` ("nvrtc").
void note_not_run(const std::string& what);

}  // namespace conformance

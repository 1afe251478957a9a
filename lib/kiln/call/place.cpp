#include "call/place.hpp"

#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::call {

void fail_devices(const std::string& what, const std::string& a, const Device& of_a, const std::string& b, const Device& of_b) {
  throw Because<DeviceError>(Reason::places, what + ": " + a + " is on " + to_string(of_a) + ", " + b + " is on " +
                                                 to_string(of_b) + "; bring them to one device with to_device()");
}

void fail_wanted(const std::string& what, const Device& wanted, const std::string& where, const Device& there) {
  throw Because<DeviceError>(Reason::places, what + ": .device is " + to_string(wanted) + ", " + where + " on " +
                                                 to_string(there) + "; leave .device out, or bring all to that device");
}

void fail_stream(const std::string& what, const Device& stream, const Device& arrays) {
  throw Because<DeviceError>(Reason::places, what + ": the stream is on " + to_string(stream) + ", the arrays are on " +
                                                 to_string(arrays) + "; give a stream of that device");
}

}  // namespace kiln::call

// Work that a vendor's library does in this process. At exit() such a library destroys its own state, whoever is in it.
#pragma once

#include <string>

namespace kiln::backend::gpu {

/// While one lives, exit() waits. DeviceError where the process ends and the library is gone: in handlers of atexit() that were
/// registered before its first use, and in destructors of static objects. `library` is for the message.
class VendorUse {
 public:
  explicit VendorUse(const std::string& library);
  ~VendorUse();
  VendorUse(const VendorUse&) = delete;
  VendorUse& operator=(const VendorUse&) = delete;
};

}  // namespace kiln::backend::gpu

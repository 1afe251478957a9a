#include "missing_devices.hpp"

#include <algorithm>
#include <cstddef>

#include "kiln/device.hpp"
#include "kiln/error.hpp"

namespace kiln::tool {

std::map<std::string, std::string> missing_devices() {
  std::map<std::string, std::string> reasons;
  const auto probe = [&](const char* vendor, Device (*open)(int)) {
    try {
      static_cast<void>(open(0));
    } catch (const Error& error) {
      reasons[vendor] = error.what();
    }
  };
  probe("cuda", &Device::cuda);
  probe("hip", &Device::hip);
  return reasons;
}

std::string in_short(const std::string& reason) {
  const std::size_t places = reason.find(": tried");
  const std::size_t first = std::min(reason.find("), ", places), reason.find("; ", places));
  return reason.substr(0, first != std::string::npos && reason[first] == ';' ? first : places);
}

}  // namespace kiln::tool

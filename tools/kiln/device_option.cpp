#include "device_option.hpp"

#include <fmt/format.h>

#include <string_view>

#include "kiln/error.hpp"
#include "options.hpp"
#include "usage_error.hpp"

namespace kiln::tool {

void add_device_option(CLI::App& app, std::string& to) {
  add_text_with_default(app, "-d,--device", to,
                        "Where to run: best, cpu, cpu:N (N threads), cuda, cuda:N, hip, hip:N, emulated:sm_NN", "DEVICE");
}

Device read_device(const std::string& text) {
  try {
    return Device::from_string(text);
  } catch (const DeviceError& error) {
    // Another name is KILN_DEVICE's.
    const std::string_view what = error.what();
    if (what.starts_with(fmt::format("unknown device \"{}\"", text)) ||
        what.starts_with(fmt::format("there is no device \"{}\": sm_", text))) {
      throw UsageError(error.what());
    }
    throw;
  }
}

}  // namespace kiln::tool
